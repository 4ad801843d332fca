//===- Ranges.h - Loop bounds from the arguments of range ----------------------------===//
//
// Loops in the IR have a positive step. A `range` with a negative compile-time step becomes an ascending loop that
// computes a descending index:
//     for i in range(a, b, -s)   =>   scf.for %f = b to a step s { i = a + b - f ... }
// With a run-time step, the bounds and i are selected by the sign of the step, and a step of 0 gives no iterations
// (with debug=True, an assertion fails). The selects are not emitted for steps that are provably positive.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_RANGES_H
#define HOCKET_FRONTEND_EMIT_RANGES_H

#include "frontend/emit/CallArguments.h"
#include <array>
#include <optional>

namespace hocket::frontend {

/// Returns the start, stop and step of a call of range or static_range; omitted arguments have their default values.
std::array<CallArguments::Positional, 3> rangeArguments(Emitter &e, std::string_view name,
                                                        const CallArguments &arguments);

struct RangeBounds {
  Runtime lower, upper, step;
  DType type;
  enum Direction { Up, Down, Unknown } direction;
  mlir::Value isDown = nullptr;      ///< i1 that is true if the range descends; null if `direction` is not Unknown
  std::optional<Runtime> trips = {}; ///< number of iterations, if the loop counts its iterations from 0
};
/// Emits the bounds of a run-time loop over range(...).
RangeBounds emitRangeBounds(Emitter &e, const CallArguments &arguments);
/// Emits the computation of the Python index of range(...) from `induction`, the induction variable of the loop over
/// `bounds`.
Runtime rangeIndex(Emitter &e, const RangeBounds &bounds, mlir::Value induction);

} // namespace hocket::frontend

#endif
