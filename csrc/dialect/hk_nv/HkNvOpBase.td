// Base class of the `hk_nv` dialect's operations.
#ifndef HOCKET_DIALECT_HK_NV_HKNVOPBASE_TD
#define HOCKET_DIALECT_HK_NV_HKNVOPBASE_TD

include "dialect/hk/ir/HkOpBase.td"
include "dialect/hk_nv/HkNvAttrs.td"

class HkNv_Op<string mnemonic, list<Trait> traits = []> : Op<HkNv_Dialect, mnemonic, traits>;

#endif
