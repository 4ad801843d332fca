// Operations whose results depend on elements at other coordinates: scans, gathers, histograms.
#ifndef HOCKET_DIALECT_HK_IR_SCANANDGATHEROPS_TD
#define HOCKET_DIALECT_HK_IR_SCANANDGATHEROPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_ScanOp : HK_Op<"scan", [HK_ElementRegion, HK_CombineRegion, RecursiveMemoryEffects,
    RecursivelySpeculatable, DeclareOpInterfaceMethods<HK_LayoutInferenceOp>,
    DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner]> {
  let summary = "Combine each element with all elements before it along one axis";
  let description = [{
    An inclusive scan: element i of the result is ((x0 . x1) . x2) . ... xi, where `.` is the function in the region
    (see CombineRegion). The function takes the earlier elements first (lhs..., rhs...). The function must be
    associative, but need not be commutative. With `reverse` the scan runs from the last element to the first.

    Elements are combined in registers, then between lanes, then between warps. The combination between warps
    synchronizes the block and needs scratch memory. If the lanes of a layout are not consecutive along the axis,
    `hocket-prepare-scans` converts to a layout in which they are consecutive, and back.

    C1: operands have the same shape and layout; there is at least one.
    C2: `axis` is a dimension of the operands.
    C3: there is a result for each operand, of the operand's type.
    C4: the region has 2n scalar arguments and ends with `hk.combine.return` of n scalars, of the element types.

    ```mlir
    %sums = hk.scan %x axis = 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      hk.combine.return %c : f32
    } : (tensor<64x128xf32, #blocked>) -> tensor<64x128xf32, #blocked>
    ```
  }];
  let arguments = (ins Variadic<HK_Tensor>:$srcs, I32Attr:$axis, UnitAttr:$reverse,
    HK_MemoryOffset:$offset);
  let results = (outs Variadic<HK_Tensor>:$results);
  let regions = (region MinSizedRegion<1>:$combine);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$srcs, "uint32_t":$axis,
                                 "bool":$reverse), [{
    build($_builder, $_state, results, srcs, axis, reverse, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $srcs `axis` `=` $axis (`reverse` $reverse^)? (`offset` `=` $offset^)? attr-dict-with-keyword $combine
    `:` functional-type($srcs, $results)
  }];
  let extraClassDeclaration = "bool combinesInOneOrder() { return true; }";
  let hasVerifier = 1;
}

def HK_GatherOp : HK_Op<"gather", [Pure, DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner]> {
  let summary = "Select elements of a tensor by their index along one axis";
  let description = [{
    result[i, j, ...] = src[i, index[i, j, ...], ...], where the index replaces coordinate `axis`. Only the low bits of
    an index are used: an index out of range is taken modulo the size of the axis. In kernels that are compiled with
    checks, an index out of range fails an assertion.

    Elements come from other registers or lanes if that is possible and cheap, and otherwise through shared memory. An
    exchange through shared memory synchronizes the block and needs scratch memory.

    C1: `axis` is a dimension of `src`.
    C2: `index` has the rank of `src`, and the same sizes in all dimensions except `axis`.
    C3: the result has the shape and layout of `index`, and the element type of `src`.

    ```mlir
    %y = hk.gather %x[%i] axis = 0 : tensor<256xf32, #a>, tensor<64xi32, #b> -> tensor<64xf32, #b>
    ```
  }];
  let arguments = (ins HK_Tensor:$src, HK_IntTensor:$index, I32Attr:$axis, HK_MemoryOffset:$offset);
  let results = (outs HK_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src, "::mlir::Value":$index,
                                 "uint32_t":$axis), [{
    build($_builder, $_state, result, src, index, axis, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $src `[` $index `]` `axis` `=` $axis (`offset` `=` $offset^)? attr-dict
    `:` type($src) `,` type($index) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HK_HistogramOp : HK_Op<"histogram", [Pure, DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner]> {
  let summary = "Count how often each number occurs";
  let description = [{
    Element i of the result is the number of elements of `src` that equal i. An element is not counted if it is
    negative, if it is not less than the size of the result, or if its mask is false. Counts are modulo 2^32.

    Lanes increment counters in scratch memory (shared memory), and the operation synchronizes the block.

    C1: `src` is 1-D, of integers; `mask` is i1 in its shape and layout.
    C2: the result is 1-D, of i32.

    ```mlir
    %n = hk.histogram %x, %mask : tensor<1024xi32, #a>, tensor<1024xi1, #a> -> tensor<64xi32, #b>
    ```
  }];
  let arguments = (ins HK_IntTensor:$src, Optional<HK_BoolTensor>:$mask, HK_MemoryOffset:$offset);
  let results = (outs HK_IntTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src, "::mlir::Value":$mask), [{
    build($_builder, $_state, result, src, mask, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $src (`,` $mask^)? (`offset` `=` $offset^)? attr-dict `:` type($src) (`,` type($mask)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
