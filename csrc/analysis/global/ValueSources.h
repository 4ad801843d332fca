//===- ValueSources.h - What a value is computed from -----------------------------===//
#ifndef HOCKET_ANALYSIS_VALUESOURCES_H
#define HOCKET_ANALYSIS_VALUESOURCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// Values to follow backwards, each once.
using ValueWorklist = llvm::SmallSetVector<mlir::Value, 16>;

/// Adds what `value` is computed from: operands, what control flow hands on and the conditions that decide about it.
/// Nothing for an argument of the kernel.
void addSources(ValueWorklist &worklist, mlir::Value value);

/// The arguments that `pointer` may have come from; null stands for anything else.
llvm::SmallVector<mlir::Value> originsOf(mlir::Value pointer);

/// May an access through `a` and one through `b` be of the same array? What is reached through different arguments
/// counts as different arrays.
bool mayBeOfOneArray(mlir::Value a, mlir::Value b);

} // namespace hocket

#endif
