// Functions and inline assembly of the user, applied to each element.
#ifndef HOCKET_DIALECT_HK_IR_PERELEMENTOPS_TD
#define HOCKET_DIALECT_HK_IR_PERELEMENTOPS_TD

include "dialect/hk/ir/HkOpBase.td"

def HK_MapOp : HK_Op<"map", [HK_ElementRegion, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<HK_LayoutInferenceOp>]> {
  let summary = "Apply a function of scalars to each element";
  let description = [{
    The region is executed once for each `pack` consecutive registers of a lane. The region takes `pack` scalars for
    each operand and returns `pack` scalars for each result. Lanes may take different branches in the region.

    C1: operands and results have one shape and layout; there is at least one operand and one result.
    C2: `pack` is a power of two, and at most the number of registers that the layout gives a lane.
    C3: the region has `pack` arguments for each operand, in the order of the operands, and ends with `hk.map.return` of
        `pack` scalars for each result.

    ```mlir
    %y = hk.map %x pack = 1 {
    ^bb0(%a: f32):
      %b = math.sqrt %a : f32
      hk.map.return %b : f32
    } : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins Variadic<HK_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<HK_Tensor>:$results);
  let regions = (region MinSizedRegion<1>:$body);
  let assemblyFormat = [{
    $srcs `pack` `=` $pack attr-dict-with-keyword $body `:` functional-type($srcs, $results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def HK_MapReturnOp : HK_Op<"map.return", [Pure, Terminator, ReturnLike, ParentOneOf<["MapOp"]>]> {
  let summary = "End the region of an hk.map";
  let arguments = (ins Variadic<HK_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def HK_InlineAsmOp : HK_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ConditionallySpeculatable, DeclareOpInterfaceMethods<HK_LayoutInferenceOp>]> {
  let summary = "Execute inline assembly of the GPU on each element";
  let description = [{
    The text is LLVM's inline assembly (operands are `$0`, `$1`, ...) with its constraints: one output for each register
    of each result, then one input for each register of each operand. The assembly is executed once for each `pack`
    consecutive registers of a lane. Elements of less than 32 bits are packed, up to `pack` elements into 32 bits. If a
    lane has fewer than `pack` elements, the last one is repeated and the additional outputs are dropped.

    Without `pure`, the assembly is executed even if its result is unused, and in program order with all other
    operations that have effects. The emulator cannot execute the operation.

    C1: operands and results have one shape and layout; there is at least one result.
    C2: `pack` is a power of two.

    ```mlir
    %y = hk.inline_asm "ex2.approx.f32 $0, $1;" "=f,f" %x pack = 1 pure
           : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, Variadic<HK_Value>:$srcs, I32Attr:$pack, UnitAttr:$pure);
  let results = (outs Variadic<HK_Value>:$results);
  let assemblyFormat = [{
    $text $constraints $srcs `pack` `=` $pack (`pure` $pure^)? attr-dict `:` functional-type($srcs, $results)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
  let hasVerifier = 1;
}

#endif
