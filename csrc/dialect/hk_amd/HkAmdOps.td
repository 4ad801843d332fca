// Operations of the `hk_amd` dialect, by family.
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDOPS_TD
#define HOCKET_DIALECT_HK_AMD_HKAMDOPS_TD

include "dialect/hk_amd/BufferOps.td"
include "dialect/hk_amd/DirectToSharedOps.td"
include "dialect/hk_amd/MatrixOps.td"
include "dialect/hk_amd/SchedulingOps.td"

#endif
