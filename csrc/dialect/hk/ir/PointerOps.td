// Pointer arithmetic, and the upper half of an unsigned product.
#ifndef HOCKET_DIALECT_HK_IR_POINTEROPS_TD
#define HOCKET_DIALECT_HK_IR_POINTEROPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_AddPtrOp : HK_Op<"addptr", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Advance pointers by offsets counted in elements";
  let description = [{
    Offsets are signed. Adding a constant 0 folds to the pointers.

    C1: `ptr` and `offset` agree in shape and layout.

    ```mlir
    %q = hk.addptr %p, %i : tensor<128x!hk.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    ```
  }];
  let arguments = (ins HK_PointerLike:$ptr, HK_IntLike:$offset);
  let results = (outs HK_PointerLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HK_PtrToIntOp : HK_Op<"ptr_to_int", [Pure]> {
  let summary = "Return addresses as i64";
  let description = [{
    C1: the result is i64 in the shape and layout of the operand.

    ```mlir
    %address = hk.ptr_to_int %p : !hk.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins HK_PointerLike:$src);
  let results = (outs HK_IntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_IntToPtrOp : HK_Op<"int_to_ptr", [Pure]> {
  let summary = "Make pointers from i64 addresses";
  let description = [{
    C1: the operand is i64 in the shape and layout of the result.

    ```mlir
    %p = hk.int_to_ptr %address : i64 -> !hk.ptr<f32>
    ```
  }];
  let arguments = (ins HK_IntLike:$src);
  let results = (outs HK_PointerLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_PtrCastOp : HK_Op<"ptr_cast", [Pure]> {
  let summary = "Change the type that pointers point to";
  let description = [{
    C1: operand and result have the same shape and layout.

    ```mlir
    %bytes = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<i8>
    ```
  }];
  let arguments = (ins HK_PointerLike:$src);
  let results = (outs HK_PointerLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HK_MulHiOp : HK_Op<"mulhi", [Pure, SameOperandsAndResultType]> {
  let summary = "Return the upper half of the unsigned product of two integers";
  let description = [{
    ```mlir
    %high = hk.mulhi %a, %b : tensor<128xi32, #blocked>
    ```
  }];
  let arguments = (ins HK_IntLike:$lhs, HK_IntLike:$rhs);
  let results = (outs HK_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif
