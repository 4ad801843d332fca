// Interfaces of layout attributes. The interface of a layout determines what can have the layout: a tensor
// (DistributedLayout, or UndecidedLayout until a pass has chosen one), a dot operand as its parent (AccumulatorLayout),
// a memory descriptor (SharedLayout).
#ifndef HOCKET_DIALECT_HK_LAYOUTS_HKLAYOUTINTERFACES_TD
#define HOCKET_DIALECT_HK_LAYOUTS_HKLAYOUTINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_DistributedLayout : AttrInterface<"DistributedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A layout of a tile in registers: a linear map over F2 from (register, lane, warp, block) to (dim0, dim1, ...).
  }];
  let methods = [
    InterfaceMethod<"Returns the number of tensor dimensions.", "unsigned", "getRank">,
    InterfaceMethod<"Returns the linear map for a tensor of `shape`; wraps and broadcasts to the shape.",
                    "::hocket::LinearLayout", "toLinearLayout", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{Returns the layout of a tensor of `shape` after a 1 was inserted at `axis`, in this class of
                     layouts. Null if this class cannot express the view's layout, which is then a #hk.linear.}],
                    "::mlir::Attribute", "tryExpandDims", (ins "::llvm::ArrayRef<int64_t>":$shape, "unsigned":$axis),
                    [{}], [{ return {}; }]>,
    InterfaceMethod<[{Returns the layout after dimension order[i] of a tensor of `shape` became dimension i, in this
                     class of layouts. Null if the view's layout is not of this class, but a #hk.linear.}],
                    "::mlir::Attribute", "tryPermute",
                    (ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<int32_t>":$order), [{}],
                    [{ return {}; }]>,
  ];
}

def HK_UndecidedLayout : AttrInterface<"UndecidedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A placeholder for a distributed layout that a pass will choose. Before the pass that chooses layouts, a tensor may
    have an undecided layout. An undecided layout has no linear map, and no other layout is derived from it.
  }];
}

def HK_AccumulatorLayout : AttrInterface<"AccumulatorLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A distributed layout that the accumulator of a dot can have. The accumulator's layout determines the layouts of the
    dot's operands.
  }];
  let methods = [
    InterfaceMethod<"Verifies `#hk.dot_operand<op_idx, this, k_width>`; reports the reason of a failure.",
                    "::llvm::LogicalResult", "verifyOperand", (ins "unsigned":$opIdx, "int64_t":$kWidth,
                                          "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"Returns the linear map of operand `opIdx` of `shape`.", "::hocket::LinearLayout",
                    "operandLayout", (ins "unsigned":$opIdx, "int64_t":$kWidth, "::llvm::ArrayRef<int64_t>":$shape)>,
  ];
}

def HK_SharedLayout : AttrInterface<"SharedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A layout of a tile in shared memory: a linear map over F2 from (offset, block), offset counted in elements, to
    (dim0, dim1, ...), followed by the padding of `getPaddings`.
  }];
  let methods = [
    InterfaceMethod<"Returns the number of tensor dimensions.", "unsigned", "getRank">,
    InterfaceMethod<"Returns the linear map from (offset, block) for a buffer of `shape`.",
                    "::hocket::LinearLayout", "toLinearLayout", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{Returns (interval, padding) pairs in elements: every `interval` elements are followed by `padding`
                      unused elements. Empty for layouts without padding.}],
                    "::llvm::SmallVector<std::pair<int64_t, int64_t>>", "getPaddings", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Returns why the layout is invalid for a whole buffer of `shape`; empty if valid.", "std::string",
                    "whyNotTile", (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{}],
                    [{ return {}; }]>,
    InterfaceMethod<[{Returns the layout of the same memory, with the same padding, after dimension order[i] became
                      dimension i. Null if this class of layouts cannot express it.}],
                    "::mlir::Attribute", "tryPermute", (ins "::llvm::ArrayRef<int32_t>":$order)>,
    InterfaceMethod<[{Returns the layout of the same memory, with the same padding, of a whole buffer of `shape` after
                      a row-major reshape to `resultShape`. Null if this class of layouts cannot express it.}],
                    "::mlir::Attribute", "tryReshape",
                    (ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<int64_t>":$resultShape)>,
  ];
}

#endif
