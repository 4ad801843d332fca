//===- CarriedNames.h - Names carried by a run-time loop -------------------------------===//
//
// A run-time loop carries the names that its body binds and that had a value before it. Both are known before the body
// is visited, so it is visited once; afterwards the carried values must have kept their form.
//
//     for p in gl.static_range(3): ...
//     for k in range(n):                   carries `total`; not `p`, a compile-time number, which is only the variable
//         for p in gl.static_range(3):     of another loop from here on
//             total += ...
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_CARRIEDNAMES_H
#define HOCKET_FRONTEND_EMIT_CARRIEDNAMES_H

#include "frontend/emit/Frames.h"
#include "mlir/IR/ValueRange.h"

namespace hocket::frontend {

class CarriedNames {
public:
  /// Carries the names in `assigned`, slots of the innermost frame, that have a value now, except `target`, the loop's
  /// own.
  CarriedNames(FrameEmitter &e, const ast::Assigned &assigned, int target = -1);

  const std::vector<int> &getSlots() const { return slots; }
  /// Returns the run-time parts of the current values.
  mlir::ValueRange initial() const { return flat; }
  /// Rebinds the names to values of the same types whose run-time parts are `values` (block arguments or results).
  void bind(mlir::ValueRange values) const;
  /// Returns the run-time parts of the values at the end of an iteration. Raises an error for a name whose type has
  /// changed or that may have no value; `keyword` and `loop` are for the message.
  llvm::SmallVector<mlir::Value> next(std::string_view keyword, const ast::Node &loop) const;

private:
  FrameEmitter &e;
  std::vector<int> slots;
  std::vector<Value> values;
  llvm::SmallVector<mlir::Value> flat;
};

/// Restores the names `before` a run-time loop; those that it binds and does not carry have no value after it.
void forgetLoopNames(FrameEmitter &e, const ast::Assigned &assigned, std::vector<Variable> before);

} // namespace hocket::frontend

#endif
