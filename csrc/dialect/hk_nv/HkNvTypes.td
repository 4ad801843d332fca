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

    C1: `layout` is not transposed, and has the block's rank.
    C2: sizes of the block are powers of two. What is larger than 256 takes several instructions.
    C3: the last dimension has a multiple of 16 bytes.

    With `im2col`, the tensor has that many dimensions, images first and channels last, and a block is a matrix: each row
    has channels of one pixel (see `hk_nv.tma_load_im2col`).

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
    /// Dimensions of the tensor, which blocks have too but for those of im2col.
    unsigned getTensorRank() const { return isIm2col() ? getIm2col() : getRank(); }
    /// What one block of a cluster moves: its part of the tile.
    ::llvm::SmallVector<int64_t> getPartShape() const;
    /// Returns what one instruction moves: contiguous shared memory, at most 256 elements along a dimension, the columns
    /// of one swizzle.
    ::llvm::SmallVector<int64_t> getBoxShape() const;
    /// True if all rows of a box of columns come before the next columns in shared memory.
    bool hasColumnBlocks() const;
    /// Of the part.
    int64_t getBlockBytes() const;
  }];
}

#endif
