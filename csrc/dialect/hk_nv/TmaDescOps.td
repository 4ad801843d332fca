// TMA descriptors that a kernel creates (Hopper).
#ifndef HOCKET_DIALECT_HK_NV_TMADESCOPS_TD
#define HOCKET_DIALECT_HK_NV_TMADESCOPS_TD

include "dialect/hk_nv/HkNvOpBase.td"
include "dialect/hk_nv/HkNvTypes.td"

def HkNv_MakeTensorDescOp : HkNv_Op<"make_tensor_desc", [AttrSizedOperandSegments,
                                                         MemoryEffects<[MemRead<HK_GlobalMemory>,
                                                                        MemWrite<HK_GlobalMemory>]>]> {
  let summary = "Create a TMA descriptor of a tensor whose address and sizes are known at run time";
  let description = [{
    One lane of the partition, which also starts the partition's bulk copies, writes the descriptor to `place`, 128
    bytes of global memory, and makes it visible to its own copies. Other partitions need an
    `hk_nv.acquire_tensor_desc`. `hocket-place-descriptors` adds the operand `place` and the
    `hk_nv.acquire_tensor_desc`. If the operation is executed repeatedly (in a loop), it overwrites the descriptor:
    copies that use the previous descriptor must have completed. (Checked in the emulator.)

    With `unsigned`, reductions treat integers as unsigned, otherwise as signed.

    `base` is a multiple of 16 bytes; strides, in elements, are multiples of 16 bytes and less than 2^40 bytes; sizes
    are positive. (Checked in the emulator.)

    C1: the descriptor does not have `im2col`, and its element type is the pointee type of `base`.
    C2: `shape` has an entry for each dimension; `strides` has an entry for each dimension except the last, whose stride
      is 1.

    ```mlir
    %desc = hk_nv.make_tensor_desc %base shape [%rows, %columns] strides [%stride] : !hk.ptr<f16> -> !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    ```
  }];
  let arguments = (ins HK_Pointer:$base, Variadic<I32>:$shape, Variadic<I64>:$strides, Optional<HK_Pointer>:$place,
    UnitAttr:$fillsNan, UnitAttr:$isUnsigned);
  let results = (outs HkNv_TensorDesc:$result);
  let assemblyFormat = [{
    $base `shape` `[` $shape `]` `strides` `[` $strides `]` (`at` $place^ `:` qualified(type($place)))?
    (`fills_nan` $fillsNan^)? (`unsigned` $isUnsigned^)? attr-dict `:` qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def HkNv_AcquireTensorDescOp : HkNv_Op<"acquire_tensor_desc", [MemoryEffects<[MemRead<HK_GlobalMemory>,
                                                                              MemWrite<HK_GlobalMemory>]>]> {
  let summary = "Make a descriptor that another lane has created visible to bulk copies of this partition";
  let description = [{
    ```mlir
    hk_nv.acquire_tensor_desc %desc : !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    ```
  }];
  let arguments = (ins HkNv_TensorDesc:$desc);
  let assemblyFormat = "$desc attr-dict `:` qualified(type($desc))";
}

#endif
