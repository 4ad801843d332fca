// Base class of the `hk_amd` dialect's operations, and common operand types.
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDOPBASE_TD
#define HOCKET_DIALECT_HK_AMD_HKAMDOPBASE_TD

include "dialect/hk/ir/HkOpBase.td"
include "dialect/hk_amd/HkAmdAttrs.td"

class HkAmd_Op<string mnemonic, list<Trait> traits = []> : Op<HkAmd_Dialect, mnemonic, traits>;

// Offsets from a scalar base pointer, in elements.
def HkAmd_Offsets : HK_TensorOf<[I32], "i32">;

def HkAmd_MaskMatchesOffsets : OptionalTypesMatchWith<"mask is i1 in the shape and layout of the offsets", "offsets",
  "mask", "::hocket::hk::withElementType($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">;

#endif
