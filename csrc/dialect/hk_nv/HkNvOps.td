// Operations of the `hk_nv` dialect, by family.
#ifndef HOCKET_DIALECT_HK_NV_HKNVOPS_TD
#define HOCKET_DIALECT_HK_NV_HKNVOPS_TD

include "dialect/hk_nv/ClusterOps.td"
include "dialect/hk_nv/GridOps.td"
include "dialect/hk_nv/MatrixOps.td"
include "dialect/hk_nv/TmaOps.td"
include "dialect/hk_nv/TmaDescOps.td"
include "dialect/hk_nv/TmaIm2colOps.td"
include "dialect/hk_nv/MbarrierOps.td"
include "dialect/hk_nv/NamedBarrierOps.td"
include "dialect/hk_nv/WarpgroupOps.td"

#endif
