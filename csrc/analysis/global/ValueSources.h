//===- ValueSources.h - Sources that a value is computed from ---------------------===//
#ifndef HOCKET_ANALYSIS_VALUESOURCES_H
#define HOCKET_ANALYSIS_VALUESOURCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// A worklist of values to trace back, each once.
using ValueWorklist = llvm::SmallSetVector<mlir::Value, 16>;

/// Adds the values that `value` is computed from: operands, values passed by control flow, and the conditions that
/// select them. Adds nothing for an argument of the kernel.
void addSources(ValueWorklist &worklist, mlir::Value value);

/// Returns the kernel arguments from which `pointer` may be computed; a null element represents any other source.
llvm::SmallVector<mlir::Value> originsOf(mlir::Value pointer);

/// True if the pointers `a` and `b` may point into the same array. Different arguments are assumed to be different
/// arrays.
bool mayBeOfOneArray(mlir::Value a, mlir::Value b);

} // namespace hocket

#endif
