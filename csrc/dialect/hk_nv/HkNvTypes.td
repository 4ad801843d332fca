// Types of the `hk_nv` dialect.
#ifndef HOCKET_DIALECT_HK_NV_HKNVTYPES_TD
#define HOCKET_DIALECT_HK_NV_HKNVTYPES_TD

include "dialect/hk/ir/HkTypes.td"
include "dialect/hk_nv/HkNvAttrs.td"

def HkNv_TensorDesc : TypeDef<HkNv_Dialect, "TensorDesc", [DeclareTypeInterfaceMethods<HK_PassedInMemory>]> {
  let mnemonic = "tensor_desc";
  let summary = "a TMA descriptor of a tensor in global memory";
  let description = [{
    The type represents a CUtensorMap. The tensor's address and sizes are known only at launch. The type defines the
    shape of the tiles that TMA copies, and the layout of these tiles in shared memory. A kernel receives a descriptor
    by value, in 128 bytes.

    C1: `layout` is not transposed, and has the block's rank.
    C2: sizes of the block are powers of two. Sizes above 256 take several instructions.
    C3: the last dimension has a multiple of 16 bytes.

    With `im2col`, the tensor has `im2col` dimensions, images first and channels last. A block is then a matrix in which
    each row holds channels of one pixel (see `hk_nv.tma_load_im2col`).

    C4: `im2col` is 3, 4 or 5, and the block has two dimensions: at most 1024 pixels and 256 channels.
    C5: with `im2col`, the layout's `block` has rows of zeros only: all blocks of a cluster hold copies.

    ```mlir
    !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    !hk_nv.tensor_desc<128x64xf16, #mma_shared, im2col = 4>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$blockShape, "::mlir::Type":$elementType,
                        "::hocket::hk_nv::MmaSharedAttr":$layout, "unsigned":$im2col);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$blockShape, "::mlir::Type":$elementType,
                                        "::hocket::hk_nv::MmaSharedAttr":$layout, CArg<"unsigned", "0">:$im2col), [{
      return $_get(elementType.getContext(), blockShape, elementType, layout, im2col);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getBlockShape().size(); }
    bool isIm2col() const { return getIm2col() != 0; }
    /// Number of dimensions of the tensor in global memory. Except for im2col, the rank of a tensor is the rank of its
    /// blocks.
    unsigned getTensorRank() const { return isIm2col() ? getIm2col() : getRank(); }
    /// Shape of the part of the tile that one block of a cluster copies.
    ::llvm::SmallVector<int64_t> getPartShape() const;
    /// Returns the shape of the box that one instruction copies. The box is contiguous in shared memory, has at most
    /// 256 elements along each dimension, and is as wide as the swizzle.
    ::llvm::SmallVector<int64_t> getBoxShape() const;
    /// True if shared memory holds all rows of one box of columns before the next box of columns.
    bool hasColumnBlocks() const;
    /// Size in bytes of the part of the tile that one block of a cluster copies.
    int64_t getBlockBytes() const;
  }];
}

#endif
