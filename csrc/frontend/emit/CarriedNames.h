//===- CarriedNames.h - Names carried by a run-time loop -------------------------------===//
//
// A run-time loop carries the names that its body binds and that have a value before the loop. The names that a loop
// carries are known before its body is visited, so the body is visited only once. At the end of the body, the carried
// values must have the same form as at its start.
//
//     for p in gl.static_range(3): ...
//     for k in range(n):                   carries `total`, but not `p`, a compile-time number that the loop
//         for p in gl.static_range(3):     only rebinds as the variable of another loop
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
  /// Carries the names in `assigned` (slots of the innermost frame) that have a value at this point. `target`, the
  /// variable of the loop itself, is not carried.
  CarriedNames(FrameEmitter &e, const ast::Assigned &assigned, int target = -1);

  const std::vector<int> &getSlots() const { return slots; }
  /// Returns the run-time parts of the values that the carried names have before the loop.
  mlir::ValueRange initial() const { return flat; }
  /// Rebinds the carried names to values of the same types whose run-time parts are `values` (block arguments or
  /// results).
  void bind(mlir::ValueRange values) const;
  /// Returns the run-time parts of the values at the end of an iteration. Raises an error for a name whose type has
  /// changed or that has no value on some path; the message mentions `keyword` and `loop`.
  llvm::SmallVector<mlir::Value> next(std::string_view keyword, const ast::Node &loop) const;

private:
  FrameEmitter &e;
  std::vector<int> slots;
  std::vector<Value> values;
  llvm::SmallVector<mlir::Value> flat;
};

/// Restores the names after a run-time loop to their state `before` the loop. Names that the loop binds but does not
/// carry have no value after the loop.
void forgetLoopNames(FrameEmitter &e, const ast::Assigned &assigned, std::vector<Variable> before);

} // namespace hocket::frontend

#endif
