// The two interfaces every layout implements: in registers, and in shared memory.
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
  ];
}

def HK_MatrixLayout : AttrInterface<"MatrixLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A distributed layout that is that of a matrix unit's accumulators: it knows where the unit expects its operands.
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
  ];
}

#endif
