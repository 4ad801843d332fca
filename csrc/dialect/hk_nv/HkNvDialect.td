// The `hk_nv` dialect: features of NVIDIA's GPUs.
#ifndef HOCKET_DIALECT_HK_NV_HKNVDIALECT_TD
#define HOCKET_DIALECT_HK_NV_HKNVDIALECT_TD

include "mlir/IR/DialectBase.td"

def HkNv_Dialect : Dialect {
  let name = "hk_nv";
  let cppNamespace = "::hocket::hk_nv";
  let summary = "Operations and layouts of NVIDIA's GPUs on tiles.";
  let description = [{
    The dialect uses tensors and memory descriptors of `hk`. `hk_nv` adds the accumulator layouts of tensor cores, MMA
    operations, TMA copies, mbarriers and clusters.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
