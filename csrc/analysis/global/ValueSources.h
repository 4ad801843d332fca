//===- ValueSources.h - Sources that a value is computed from ---------------------===//
#ifndef HOCKET_ANALYSIS_VALUESOURCES_H
#define HOCKET_ANALYSIS_VALUESOURCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

/// A worklist of values to trace back; each value is added at most once.
using ValueWorklist = llvm::SmallSetVector<mlir::Value, 16>;

/// Adds the values from which `value` is computed: operands, values that control flow passes, and the conditions that
/// select these values. Adds nothing for an argument of the kernel.
void addSources(ValueWorklist &worklist, mlir::Value value);

/// Returns the kernel arguments from which `pointer` may be computed; a null element represents any other source, such
/// as memory.
llvm::SmallVector<mlir::Value> originsOf(mlir::Value pointer);

/// True if the pointers `a` and `b` may point into the same array. Different kernel arguments are assumed to point to
/// different arrays.
bool mayBeOfOneArray(mlir::Value a, mlir::Value b);

} // namespace hocket

#endif
