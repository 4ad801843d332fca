//===- CarriedNames.h - Names carried by a run-time loop -------------------------------===//
//
// A run-time loop carries the names that its body binds and that have a value before the loop. The names that a loop
// carries are known before its body is visited, so the body is visited only once. At the end of the body, each carried
// value must have the same structure and types as at the start. Example:
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
  /// Selects the names to carry: the names in `assigned` (slots of the current frame) that have a value before the
  /// loop. `target` is the slot of the loop's own variable, which is not carried.
  CarriedNames(FrameEmitter &e, const ast::Assigned &assigned, int target = -1);

  const std::vector<int> &getSlots() const { return slots; }
  /// Returns the run-time parts of the values that the carried names have before the loop.
  mlir::ValueRange initial() const { return flat; }
  /// Binds the carried names to values with the run-time parts `values`, which are block arguments or results of the
  /// loop.
  void bind(mlir::ValueRange values) const;
  /// Returns the run-time parts of the carried values at the end of the loop body. Raises an error if the type of a
  /// name has changed, or if a name has no value on some path. The error message mentions `keyword` and the line of
  /// `loop`.
  llvm::SmallVector<mlir::Value> next(std::string_view keyword, const ast::Node &loop) const;

private:
  FrameEmitter &e;
  std::vector<int> slots;
  std::vector<Value> values;
  llvm::SmallVector<mlir::Value> flat;
};

/// After a run-time loop, restores all variables of the frame to `before`, their state before the loop. Names that the
/// loop binds but does not carry have no value after the loop.
void forgetLoopNames(FrameEmitter &e, const ast::Assigned &assigned, std::vector<Variable> before);

} // namespace hocket::frontend

#endif
