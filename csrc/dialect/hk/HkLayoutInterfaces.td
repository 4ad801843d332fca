// What a layout attribute implements says who may hold it: a tensor (DistributedLayout, or UndecidedLayout until a pass
// has decided), a dot operand as its parent (AccumulatorLayout), a memory descriptor (SharedLayout).
#ifndef HOCKET_DIALECT_HK_HKLAYOUTINTERFACES_TD
#define HOCKET_DIALECT_HK_HKLAYOUTINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_DistributedLayout : AttrInterface<"DistributedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A layout of a tile in registers: a linear map over F2 from (register, lane, warp, block) to (dim0, dim1, ..).
  }];
  let methods = [
    InterfaceMethod<"Number of tensor dimensions.", "unsigned", "getRank">,
    InterfaceMethod<"The layout of a tensor of `shape` as a linear map; wraps and broadcasts to the shape.",
                    "::hocket::LinearLayout", "toLinearLayout", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{The layout of a tensor of `shape` after a 1 was inserted at `axis`, in the terms of this class of
                      layouts. Null where it has none: the view is a #hk.linear then.}],
                    "::mlir::Attribute", "tryExpandDims", (ins "::llvm::ArrayRef<int64_t>":$shape, "unsigned":$axis),
                    [{}], [{ return {}; }]>,
    InterfaceMethod<[{The layout after dimension order[i] of a tensor of `shape` became dimension i, in the terms of
                      this class of layouts. Null where it has none: the view is a #hk.linear then.}],
                    "::mlir::Attribute", "tryPermute",
                    (ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<int32_t>":$order), [{}],
                    [{ return {}; }]>,
  ];
}

def HK_UndecidedLayout : AttrInterface<"UndecidedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Stands for a distributed layout that a pass will decide. A tensor may have it until then; it has no linear map, and
    no layout is made from it.
  }];
}

def HK_AccumulatorLayout : AttrInterface<"AccumulatorLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A distributed layout that the accumulator of a dot can have: it knows where the dot expects its operands.
  }];
  let methods = [
    InterfaceMethod<"Whether `#hk.dot_operand<op_idx, this, k_width>` exists; says why not.", "::llvm::LogicalResult",
                    "verifyOperand", (ins "unsigned":$opIdx, "int64_t":$kWidth,
                                          "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"The layout of operand `opIdx` of `shape` as a linear map.", "::hocket::LinearLayout",
                    "operandLayout", (ins "unsigned":$opIdx, "int64_t":$kWidth, "::llvm::ArrayRef<int64_t>":$shape)>,
  ];
}

def HK_SharedLayout : AttrInterface<"SharedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A layout of a tile in shared memory: a linear map over F2 from (offset, block), offset counted in elements, to
    (dim0, dim1, ..), followed by the padding that `getPaddedOffset` adds.
  }];
  let methods = [
    InterfaceMethod<"Number of tensor dimensions.", "unsigned", "getRank">,
    InterfaceMethod<"The layout of a buffer of `shape` as a linear map from (offset, block).",
                    "::hocket::LinearLayout", "toLinearLayout", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{(interval, padding) pairs in elements: after every `interval` elements, `padding` unused ones.
                      Empty for layouts without padding.}],
                    "::llvm::SmallVector<std::pair<int64_t, int64_t>>", "getPaddings", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Why the layout cannot place a whole buffer of `shape`; empty where it can.", "std::string",
                    "whyNotTile", (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{}],
                    [{ return {}; }]>,
    InterfaceMethod<[{The layout of the same memory, padded alike, after dimension order[i] became dimension i. Null if
                      this class of layouts has none.}],
                    "::mlir::Attribute", "tryPermute", (ins "::llvm::ArrayRef<int32_t>":$order)>,
    InterfaceMethod<[{The layout of the same memory, padded alike, of a whole buffer of `shape` that is shown, in
                      row-major order, as `resultShape`. Null if this class of layouts has none.}],
                    "::mlir::Attribute", "tryReshape",
                    (ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<int64_t>":$resultShape)>,
  ];
}

#endif
