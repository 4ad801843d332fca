// Reductions and dot products.
#ifndef HOCKET_DIALECT_HK_IR_REDUCEANDDOTOPS_TD
#define HOCKET_DIALECT_HK_IR_REDUCEANDDOTOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_ReduceOp : HK_Op<"reduce", [HK_ElementRegion, HK_CombineRegion, RecursiveMemoryEffects,
    RecursivelySpeculatable, DeclareOpInterfaceMethods<HK_LayoutInferenceOp>,
    DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner]> {
  let summary = "Combine the elements along one axis";
  let description = [{
    The region (see CombineRegion) takes two sets of scalars (lhs..., rhs...) and returns their combination. The
    function must be associative and commutative. Elements are combined in registers, then between lanes, then between
    warps. The combination between warps synchronizes the block and needs scratch memory.

    C1: operands have the same shape and layout; there is at least one.
    C2: `axis` is a dimension of the operands.
    C3: each result is its operand with `axis` removed, in the operand's layout sliced along `axis`; for a 1-D operand,
        the result has the operand's element type.
    C4: the region has 2n scalar arguments and ends with `hk.combine.return` of n scalars, of the element types.

    ```mlir
    %sum = hk.reduce %x axis = 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      hk.combine.return %c : f32
    } : (tensor<64x128xf32, #blocked>) -> tensor<64xf32, #hk.slice<dim = 1, parent = #blocked>>
    ```
  }];
  let arguments = (ins Variadic<HK_Tensor>:$srcs, I32Attr:$axis, HK_MemoryOffset:$offset);
  let results = (outs Variadic<HK_Value>:$results);
  let regions = (region MinSizedRegion<1>:$combine);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$srcs, "uint32_t":$axis), [{
    build($_builder, $_state, results, srcs, axis, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $srcs `axis` `=` $axis (`offset` `=` $offset^)? attr-dict-with-keyword $combine `:` functional-type($srcs, $results)
  }];
  let hasVerifier = 1;
}

def HK_AnyInWarpOp : HK_Op<"any_in_warp", [Pure]> {
  let summary = "Return whether any element that the warp holds is true";
  let description = [{
    The result is uniform in a warp and may differ between warps; the operation is not a barrier. With this operation, a
    kernel can skip work that only few warps need. The result may be used only as the condition of branches, and such a
    branch must not contain operations that synchronize the warps of a block. `hocket-check-warp-branches` verifies both
    rules.

    ```mlir
    %any = hk.any_in_warp %x : tensor<64x8xi1, #mma>
    %y = scf.if %any -> tensor<64xf32, #rows> { .. } else { .. }
    ```
  }];
  let arguments = (ins HK_BoolTensor:$src);
  let results = (outs I1:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
}

def HK_CombineReturnOp : HK_Op<"combine.return", [Pure, Terminator, ReturnLike]> {
  let summary = "End a combine region";
  let description = "C1: the parent operation is a CombineRegion.";
  let arguments = (ins Variadic<HK_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def HK_DotFmaOp : HK_Op<"dot_fma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Compute acc + a x b by fused multiply-adds on each lane";
  let description = [{
    The terms a[m, k] b[k, n] are added in the order of k, in the type of the accumulator: floats by one fused
    multiply-add for each term, integers modulo 2^width.

    C1: a is [..., M, K], b [..., K, N], acc [..., M, N], of rank 2 or 3.
    C2: acc has a Blocked layout; a and b have its DotOperand layouts 0 and 1.
    C3: a and b have the same element type. Floats have at least 16 bits, and acc has the same float type or a wider
        one. Integers have at least 8 bits, and acc has the same type.

    ```mlir
    %d = hk.dot_fma %a, %b, %c : tensor<64x32xf32, #hk.dot_operand<op_idx = 0, parent = #blocked>>,
           tensor<32x64xf32, #hk.dot_operand<op_idx = 1, parent = #blocked>> -> tensor<64x64xf32, #blocked>
    ```
  }];
  let arguments = (ins HK_NumberTensor:$a, HK_NumberTensor:$b, HK_NumberTensor:$acc);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($acc)";
  let hasVerifier = 1;
}

#endif
