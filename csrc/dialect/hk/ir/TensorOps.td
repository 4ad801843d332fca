// Creation of tensors, views of tensors, and layout conversions.
#ifndef HOCKET_DIALECT_HK_IR_TENSOROPS_TD
#define HOCKET_DIALECT_HK_IR_TENSOROPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_ArangeOp : HK_Op<"arange", [Pure]> {
  let summary = "Create the 1-D tensor start, start+1, ..., end-1";
  let description = [{
    C1: the result is a 1-D i32 tensor of end - start elements.
    C2: start < end.

    ```mlir
    %i = hk.arange 0 to 128 : tensor<128xi32, #blocked>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs HK_IntTensor:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def HK_SplatOp : HK_Op<"splat", [Pure]> {
  let summary = "Create a tensor whose elements all equal a scalar";
  let description = [{
    A splat of a constant folds to a dense constant.

    C1: the result's element type is the operand's type.

    ```mlir
    %t = hk.splat %x : f32 -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_Scalar:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

// A view reinterprets the same registers: no data moves, and a view of a splat is a splat. Constraints on layouts apply
// only to decided layouts.
class HK_ViewOp<string mnemonic> : HK_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<HK_LayoutInferenceOp>]> {
  let results = (outs HK_Tensor:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def HK_ExpandDimsOp : HK_ViewOp<"expand_dims"> {
  let summary = "Insert a dimension of size 1";
  let description = [{
    C1: the result's shape is the operand's with a 1 inserted at `axis`; element types are equal.
    C2: the operand's layout is the result's layout sliced along `axis` (the same linear map; no data moves).

    ```mlir
    %c = hk.expand_dims %r axis = 1 : tensor<64xf32, #hk.slice<dim = 1, parent = #blocked>> -> tensor<64x1xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_Tensor:$src, I32Attr:$axis);
  let assemblyFormat = "$src `axis` `=` $axis attr-dict `:` type($src) `->` type($result)";
}

def HK_BroadcastOp : HK_ViewOp<"broadcast"> {
  let summary = "Broadcast dimensions of size 1";
  let description = [{
    C1: ranks and element types are equal; dimensions that differ have size 1 in the operand.
    C2: operand and result have the same layout.

    ```mlir
    %b = hk.broadcast %c : tensor<64x1xf32, #blocked> -> tensor<64x128xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_Tensor:$src);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def HK_ReshapeOp : HK_ViewOp<"reshape"> {
  let summary = "Reinterpret the elements, in row-major order, in another shape";
  let description = [{
    C1: element counts and element types are equal.
    C2: the layouts are the same map from (register, lane, warp, block) to the row-major index; no data moves.

    ```mlir
    %m = hk.reshape %v : tensor<128xf32, #blocked> -> tensor<4x32xf32, #blocked2d>
    ```
  }];
  let arguments = (ins HK_Tensor:$src);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def HK_PermuteOp : HK_ViewOp<"permute"> {
  let summary = "Permute the dimensions: result dimension i is operand dimension order[i]";
  let description = [{
    C1: `order` is a permutation; the result's shape is the operand's shape, permuted; element types are equal.
    C2: the layouts are the same map up to that permutation; no data moves.

    ```mlir
    %t = hk.permute %m [1, 0] : tensor<64x128xf32, #rows> -> tensor<128x64xf32, #columns>
    ```
  }];
  let arguments = (ins HK_Tensor:$src, DenseI32ArrayAttr:$order);
  let assemblyFormat = "$src $order attr-dict `:` type($src) `->` type($result)";
}

def HK_JoinOp : HK_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>,
    DeclareOpInterfaceMethods<HK_LayoutInferenceOp>]> {
  let summary = "Join two tensors along a new last dimension of size 2";
  let description = [{
    Element [..., 0] of the result is element [...] of `lhs`, and element [..., 1] is element [...] of `rhs`.

    C1: the result has the operands' element type, and their shape followed by 2.
    C2: each lane keeps its elements, and the two elements of a pair are in adjacent registers: bit 0 of the register
        number is the new dimension. No data moves.

    ```mlir
    %c = hk.join %a, %b : tensor<64xf32, #blocked> -> tensor<64x2xf32, #pairs>
    ```
  }];
  let arguments = (ins HK_Tensor:$lhs, HK_Tensor:$rhs);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def HK_SplitOp : HK_Op<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>,
    DeclareOpInterfaceMethods<HK_LayoutInferenceOp>]> {
  let summary = "Split a tensor along its last dimension, which has size 2";
  let description = [{
    The inverse of `hk.join`: the first result is the operand's elements [..., 0], the second the elements [..., 1].

    C1: the operand's last dimension has size 2 and is not its only dimension; results have the operand's shape without
        the last dimension, and the operand's element type.
    C2: each lane holds both elements of a pair: exactly one register bit, and no lane or warp bit, selects the element
        of a pair. The results' layout is the operand's layout without this register bit. No data moves.

    ```mlir
    %a, %b = hk.split %c : tensor<64x2xf32, #pairs> -> tensor<64xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_Tensor:$src);
  let results = (outs HK_Tensor:$lhs, HK_Tensor:$rhs);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($lhs)";
  let hasVerifier = 1;
}

def HK_ConvertLayoutOp : HK_Op<"convert_layout", [Pure, DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner]> {
  let summary = "Redistribute a tensor over registers, lanes and warps";
  let description = [{
    Values move within a lane's registers if that is enough, otherwise by shuffles between the lanes of a warp, and
    otherwise through shared memory. An exchange through shared memory synchronizes the block and needs scratch memory.

    C1: operand and result differ only in layout.

    ```mlir
    %y = hk.convert_layout %x : tensor<64x128xf32, #rows> -> tensor<64x128xf32, #columns>
    ```
  }];
  let arguments = (ins HK_Tensor:$src, HK_MemoryOffset:$offset);
  let results = (outs HK_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
    build($_builder, $_state, result, src, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = "$src (`offset` `=` $offset^)? attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def HK_SetLayoutOp : HK_Op<"set_layout", [Pure]> {
  let summary = "Set the layout of a tensor whose layout is undecided";
  let description = [{
    If the operand's layout is undecided, the operand gets the result's layout, and layouts of its producers are derived
    from that layout. If the result's layout is undecided, the result gets the operand's layout. `hocket-decide-layouts`
    removes the operation. A tensor in `#hk.coalesced` keeps the layout that was chosen for it, and is converted. `name`
    is the decided layout as the user wrote it, for messages.

    C1: operand and result differ only in layout, and at least one of the two is undecided.

    ```mlir
    %y = hk.set_layout %x : tensor<128xf32, #hk.auto> -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_Tensor:$src, OptionalAttr<StrAttr>:$name);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src (`name` `=` $name^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif
