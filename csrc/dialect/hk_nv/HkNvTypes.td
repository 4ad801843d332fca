// Types of the `hk_nv` dialect.
#ifndef HOCKET_DIALECT_HK_NV_HKNVTYPES_TD
#define HOCKET_DIALECT_HK_NV_HKNVTYPES_TD

include "dialect/hk/HkTypes.td"
include "dialect/hk_nv/HkNvAttrs.td"

def HkNv_TensorDesc : TypeDef<HkNv_Dialect, "TensorDesc", [DeclareTypeInterfaceMethods<HK_PassedInMemory>]> {
  let mnemonic = "tensor_desc";
  let summary = "a tensor in global memory that TMA moves tiles of";
  let description = [{
    What a CUtensorMap is to the compiler: where the tensor lies and how large it is, the launch knows; which tiles are
    moved, and how they stand in shared memory, the type says. A kernel is passed one by value, in 128 bytes.

    C1: `layout` is not transposed, and places a tile of the block's shape and elements.
    C2: sizes of the block are powers of two from 1 to 256.
    C3: the last dimension has a multiple of 16 bytes.

    ```mlir
    !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$blockShape, "::mlir::Type":$elementType,
                        "::hocket::hk_nv::MmaSharedAttr":$layout);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$blockShape, "::mlir::Type":$elementType,
                                        "::hocket::hk_nv::MmaSharedAttr":$layout), [{
      return $_get(elementType.getContext(), blockShape, elementType, layout);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getBlockShape().size(); }
    /// Of one instruction: the block, or as many of its columns as the swizzle is wide.
    ::llvm::SmallVector<int64_t> getBoxShape() const;
    int64_t getBlockBytes() const;
  }];
}

#endif
