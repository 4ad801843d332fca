//===- ValueSources.h - Sources that a value is computed from ---------------------===//
#ifndef HOCKET_ANALYSIS_VALUESOURCES_H
#define HOCKET_ANALYSIS_VALUESOURCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// A worklist of values to follow backward, each once.
using ValueWorklist = llvm::SmallSetVector<mlir::Value, 16>;

/// Adds the values that `value` is computed from: operands, values passed by control flow, and the conditions that
/// select them. Adds nothing for an argument of the kernel.
void addSources(ValueWorklist &worklist, mlir::Value value);

/// Returns the arguments that `pointer` may originate from; null represents any other source.
llvm::SmallVector<mlir::Value> originsOf(mlir::Value pointer);

/// True if an access through `a` and one through `b` may be of the same array. Different arguments are assumed to be
/// different arrays.
bool mayBeOfOneArray(mlir::Value a, mlir::Value b);

} // namespace hocket

#endif
