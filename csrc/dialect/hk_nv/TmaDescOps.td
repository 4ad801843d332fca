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
    The lane of the partition that also starts its bulk copies writes the descriptor to `place`, 128 bytes of global
    memory, and makes it visible to the copies that it starts. Other partitions need an `hk_nv.acquire_tensor_desc`.
    `hocket-place-descriptors` inserts both. If the operation is executed repeatedly (in a loop), it overwrites the
    descriptor: copies that use the previous one must have completed. (Checked in the emulator.)

    With `unsigned`, reductions treat integers as unsigned, otherwise as signed.

    `base` is a multiple of 16 bytes; strides, in elements, are multiples of 16 bytes and less than 2^40 bytes; sizes
    are positive. (Checked in the emulator.)

    C1: the descriptor does not have `im2col`, and its elements are those that `base` points to.
    C2: `shape` has an entry per dimension; `strides` has one per dimension except the last, whose stride is 1.

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
  let summary = "Make a descriptor that other lanes have created visible to bulk copies of these lanes";
  let description = [{
    ```mlir
    hk_nv.acquire_tensor_desc %desc : !hk_nv.tensor_desc<64x64xf16, #mma_shared>
    ```
  }];
  let arguments = (ins HkNv_TensorDesc:$desc);
  let assemblyFormat = "$desc attr-dict `:` qualified(type($desc))";
}

#endif
