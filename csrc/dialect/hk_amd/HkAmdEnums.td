// Enumerations of the `hk_amd` dialect: the formats of scaled MFMAs.
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDENUMS_TD
#define HOCKET_DIALECT_HK_AMD_HKAMDENUMS_TD

include "dialect/hk_amd/HkAmdDialect.td"
include "mlir/IR/EnumAttr.td"

def HkAmd_ScaledFormat : I32EnumAttr<"ScaledFormat", "element format of an operand of a scaled MFMA", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">, I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">, I32EnumAttrCase<"E2M1", 4, "e2m1">]> {
  let cppNamespace = "::hocket::hk_amd";
  let genSpecializedAttr = 0;
}
def HkAmd_ScaledFormatAttr : EnumAttr<HkAmd_Dialect, HkAmd_ScaledFormat, "scaled_format">;

#endif
