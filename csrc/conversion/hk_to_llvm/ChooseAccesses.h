//===- ChooseAccesses.h - How many elements each access of global memory moves ---------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_CHOOSEACCESSES_H
#define HOCKET_CONVERSION_HK_TO_LLVM_CHOOSEACCESSES_H

#include "analysis/axis/AxisInfo.h"
#include "mlir/IR/Operation.h"

namespace hocket {

/// What hocket-choose-accesses has chosen for `op`; one element at a time where it has chosen nothing.
AccessShape chosenAccess(mlir::Operation *op);

} // namespace hocket

#endif
