// The `hk_amd` dialect: features of AMD's CDNA GPUs.
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDDIALECT_TD
#define HOCKET_DIALECT_HK_AMD_HKAMDDIALECT_TD

include "mlir/IR/DialectBase.td"

def HkAmd_Dialect : Dialect {
  let name = "hk_amd";
  let cppNamespace = "::hocket::hk_amd";
  let summary = "Operations and layouts of AMD's CDNA GPUs on tiles.";
  let description = [{
    The dialect uses tensors and memory descriptors of `hk`. `hk_amd` adds the accumulator layouts of matrix cores
    (MFMA), MFMA operations, accesses through buffer descriptors, and copies from global memory directly into LDS.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif
