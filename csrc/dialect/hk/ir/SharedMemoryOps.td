// Tiles in shared memory: allocation, access, and views.
#ifndef HOCKET_DIALECT_HK_IR_SHAREDMEMORYOPS_TD
#define HOCKET_DIALECT_HK_IR_SHAREDMEMORYOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_LocalAllocOp : HK_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<HK_RegisterAccess>, HK_MemoryOwner]> {
  let summary = "Allocate a tile in shared memory or another memory space, optionally with initial contents";
  let description = [{
    The buffer is live from this operation to the last use of the handle or of a view of it; buffers that are never live
    together may share memory. Storing the initial value behaves like `hk.local_store`. `name` is the name of the user's
    variable that holds the buffer.

    C1: `src` has the descriptor's shape and element type.
    C2: the result is a whole buffer: `alloc_shape` equals `shape`.
    C3: with `src`, the result is in shared memory.

    ```mlir
    %ring = hk.local_alloc : () -> !hk.memdesc<3x64x32xf16, #shared>
    %tile = hk.local_alloc %x : (tensor<64x32xf16, #blocked>) -> !hk.memdesc<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins Optional<HK_Tensor>:$src, HK_MemoryOffset:$offset, OptionalAttr<StrAttr>:$name);
  let results = (outs HK_MemDesc:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
    build($_builder, $_state, result, src, /*offset=*/::mlir::IntegerAttr(), /*name=*/::mlir::StringAttr());
  }]>];
  let assemblyFormat = [{
    ($src^)? (`name` `=` $name^)? (`offset` `=` $offset^)? attr-dict `:` functional-type($src, $result)
  }];
  let hasVerifier = 1;
}

def HK_LocalLoadOp : HK_Op<"local_load", [DeclareOpInterfaceMethods<HK_RegisterAccess>]> {
  let summary = "Read a tile of shared memory into registers";
  let description = [{
    The compiler inserts barriers that order the load after earlier writes of other lanes. With `relaxed`, the program
    itself orders the load after earlier stores; the compiler inserts only barriers for asynchronous copies that a wait
    has completed.

    C1: the result has the descriptor's shape and element type.

    ```mlir
    %x = hk.local_load %tile : !hk.memdesc<64x32xf16, #shared> -> tensor<64x32xf16, #blocked>
    ```
  }];
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$src, UnitAttr:$relaxed);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src (`relaxed` $relaxed^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def HK_LocalStoreOp : HK_Op<"local_store", [DeclareOpInterfaceMethods<HK_RegisterAccess>]> {
  let summary = "Write a tile of registers into shared memory";
  let description = [{
    The compiler inserts barriers that order the store after earlier reads and writes of other lanes.

    C1: the value has the descriptor's shape and element type.

    ```mlir
    hk.local_store %x, %tile : tensor<64x32xf16, #blocked> -> !hk.memdesc<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins HK_Tensor:$value, Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst);
  let assemblyFormat = "$value `,` $dst attr-dict `:` type($value) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def HK_LocalGatherOp : HK_Op<"local_gather"> {
  let summary = "Read elements of shared memory that indices select along one axis";
  let description = [{
    Element (..., i, ...) of the result is element (..., indices[..., i, ...], ...) of the descriptor. An index must be
    at least 0 and less than the size of the dimension; a GPU does not check this. The compiler inserts barriers as for
    `hk.local_load`.

    C1: indices are 32-bit integers in a tensor of the descriptor's rank; the result has the shape and layout of this
        tensor, and the descriptor's element type.
    C2: `axis` is a dimension; in all other dimensions, the indices' sizes are at most the descriptor's.

    ```mlir
    %x = hk.local_gather %tile[%i] axis = 0 : !hk.memdesc<64x32xf16, #shared>, tensor<16x32xi32, #blocked>
           -> tensor<16x32xf16, #blocked>
    ```
  }];
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$src, HK_IntTensor:$indices, I32Attr:$axis);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` `axis` `=` $axis attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HK_LocalScatterOp : HK_Op<"local_scatter"> {
  let summary = "Write elements of shared memory that indices select along one axis";
  let description = [{
    Element (..., i, ...) of `values` is written to element (..., indices[..., i, ...], ...) of the descriptor. If
    several values go to one element, it is unspecified which one remains. Indices and barriers are as in
    `hk.local_gather`.

    C1: indices are 32-bit integers in a tensor of the descriptor's rank; values have the shape and layout of this
        tensor, and the descriptor's element type.
    C2: `axis` is a dimension; in all other dimensions, the indices' sizes are at most the descriptor's.

    ```mlir
    hk.local_scatter %x, %tile[%i] axis = 0 : tensor<16x32xf16, #blocked>, !hk.memdesc<64x32xf16, #shared>,
      tensor<16x32xi32, #blocked>
    ```
  }];
  let arguments = (ins HK_Tensor:$values, Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst,
    HK_IntTensor:$indices, I32Attr:$axis);
  let assemblyFormat = [{
    $values `,` $dst `[` $indices `]` `axis` `=` $axis attr-dict `:` type($values) `,` qualified(type($dst)) `,`
    type($indices)
  }];
  let hasVerifier = 1;
}

def HK_LocalAtomicScatterOp : HK_Op<"local_atomic_scatter", [HK_AtomicAccess,
    DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner, AllTypesMatch<["values", "result"]>]> {
  let summary = "Combine values with selected elements of shared memory atomically and return the old values";
  let description = [{
    Like `hk.local_scatter`, except that each value is combined with the element in memory. A value that the layout
    replicates is combined once, and every lane that holds the value gets the old element. Where `mask` is false,
    nothing happens and the result is undefined. The operation orders no other accesses.

    C1: indices are 32-bit integers in a tensor of the descriptor's rank; values and result have the shape and layout of
        this tensor, and the descriptor's element type; `mask` is i1 of the same shape and layout.
    C2: `axis` is a dimension; in all other dimensions, the indices' sizes are at most the descriptor's.
    C3: element types are as in `hk.atomic_rmw` (C3, C4).

    ```mlir
    %old = hk.local_atomic_scatter add, %x, %bins[%i], mask %m axis = 0 : tensor<128xi32, #blocked>,
      !hk.memdesc<64xi32, #shared>, tensor<128xi32, #blocked>
    ```
  }];
  let arguments = (ins HK_AtomicOpAttr:$op, HK_Tensor:$values,
    Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>, MemWrite<HK_SharedMemory>]>:$dst, HK_IntTensor:$indices,
    Optional<HK_BoolTensor>:$mask, I32Attr:$axis, HK_MemoryOffset:$offset);
  let results = (outs HK_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::hocket::hk::AtomicOp":$op, "::mlir::Value":$values,
                                 "::mlir::Value":$dst, "::mlir::Value":$indices, "::mlir::Value":$mask,
                                 "uint32_t":$axis), [{
    build($_builder, $_state, result, op, values, dst, indices, mask, axis, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    `` $op `,` $values `,` $dst `[` $indices `]` (`,` `mask` $mask^)? `axis` `=` $axis (`offset` `=` $offset^)?
    attr-dict `:` type($values) `,`
    qualified(type($dst)) `,` type($indices) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

class HK_MemDescViewOp<string mnemonic> : HK_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<HK_MemDescView>]> {
  let results = (outs HK_MemDesc:$result);
  let hasVerifier = 1;
}

def HK_MemDescIndexOp : HK_MemDescViewOp<"memdesc_index"> {
  let summary = "Select one slot of a ring buffer along dimension 0, which is dropped";
  let description = [{
    The index must be at least 0 and less than the number of slots; a GPU does not check this.

    C1: the result has the operand's shape and alloc_shape without dimension 0, and the operand's element type, layout
        and memory space.
    C2: the rank of the operand's layout is less than the number of the operand's dimensions, so that dimension 0
      numbers slots.

    ```mlir
    %tile = hk.memdesc_index %ring[%k] : !hk.memdesc<3x64x32xf16, #shared> -> !hk.memdesc<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins HK_MemDesc:$src, I32:$index);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def HK_MemDescSliceOp : HK_MemDescViewOp<"memdesc_slice"> {
  let summary = "Select a box of a tile at constant offsets";
  let description = [{
    C1: there is one offset for each dimension; the sum of offset and result size is at most the operand's size.
    C2: the result has the operand's rank, element type, layout, alloc_shape and memory space.
    C3: in each dimension of the tile, the result's size divides the offset, so that adding the offset is the same as
        XORing it.

    ```mlir
    %half = hk.memdesc_slice %tile [0, 16] : !hk.memdesc<64x32xf16, #shared> -> !hk.memdesc<64x16xf16, #shared, 64x32>
    ```
  }];
  let arguments = (ins HK_MemDesc:$src, DenseI32ArrayAttr:$offsets);
  let assemblyFormat = "$src $offsets attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def HK_MemDescPermuteOp : HK_MemDescViewOp<"memdesc_permute"> {
  let summary = "Permute the dimensions of a handle: result dimension i is operand dimension order[i]";
  let description = [{
    C1: `order` is a permutation that keeps the dimensions of slots first.
    C2: the result's shape and alloc_shape are the operand's, permuted; element types and memory spaces are equal.
    C3: the layouts are the same map up to that permutation.

    ```mlir
    %t = hk.memdesc_permute %tile [1, 0] : !hk.memdesc<64x32xf16, #rows> -> !hk.memdesc<32x64xf16, #columns>
    ```
  }];
  let arguments = (ins HK_MemDesc:$src, DenseI32ArrayAttr:$order);
  let assemblyFormat = "$src $order attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def HK_MemDescReshapeOp : HK_MemDescViewOp<"memdesc_reshape"> {
  let summary = "Reinterpret a whole buffer, in row-major order, in another shape";
  let description = [{
    C1: operand and result are whole buffers in one memory space: `alloc_shape` equals `shape`.
    C2: operand and result have the same element type, number of elements and slots.
    C3: the layouts are the same map to the row-major index.

    ```mlir
    %planes = hk.memdesc_reshape %tile : !hk.memdesc<64x32xf16, #shared> -> !hk.memdesc<4x16x32xf16, #shared3d>
    ```
  }];
  let arguments = (ins HK_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def HK_MemDescReinterpretOp : HK_MemDescViewOp<"memdesc_reinterpret"> {
  let summary = "Reinterpret the bytes of a whole buffer as another type, shape and layout";
  let description = [{
    C1: operand and result are whole buffers in one memory space: `alloc_shape` equals `shape`.
    C2: the result needs no more bytes than the operand.

    ```mlir
    %words = hk.memdesc_reinterpret %tile : !hk.memdesc<64x32xf16, #shared> -> !hk.memdesc<1024xi32, #linear>
    ```
  }];
  let arguments = (ins HK_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

#endif
