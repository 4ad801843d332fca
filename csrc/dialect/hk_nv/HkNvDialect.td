// The `hk_nv` dialect: what NVIDIA's GPUs do that others do not.
#ifndef HOCKET_DIALECT_HK_NV_HKNVDIALECT_TD
#define HOCKET_DIALECT_HK_NV_HKNVDIALECT_TD

include "mlir/IR/DialectBase.td"

def HkNv_Dialect : Dialect {
  let name = "hk_nv";
  let cppNamespace = "::hocket::hk_nv";
  let summary = "Operations and layouts of NVIDIA's GPUs on tiles.";
  let description = [{
    Complements `hk`: the same tensors and memory descriptors, with the accumulator layouts of tensor cores and matrix
    products on them.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    /// Of NVVM's copies of tensors, an i32: bytes of an element, by which the emulator checks them.
    static constexpr llvm::StringLiteral kElementBytesAttr = "hk_nv.element_bytes";
  }];
}

#endif
