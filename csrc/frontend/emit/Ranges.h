//===- Ranges.h - The arguments of range, as the bounds of a loop --------------------===//
//
// A loop of the IR runs upwards. `range` with a negative step known at compile time runs forward and counts backward:
//     for i in range(a, b, -s)   =>   scf.for %f = b to a step s { i = a + b - f ... }
// With a step that the kernel learns when it runs, the bounds and i are selected by its sign, and a step of 0 makes no
// iteration (with debug=True it fails an assertion). Steps that are visibly positive cost nothing.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_RANGES_H
#define HOCKET_FRONTEND_EMIT_RANGES_H

#include "frontend/emit/CallArguments.h"
#include <array>
#include <optional>

namespace hocket::frontend {

/// start, stop and step of range(...) and static_range(...).
std::array<CallArguments::Positional, 3> rangeArguments(Emitter &e, std::string_view name,
                                                        const CallArguments &arguments);

struct RangeBounds {
  Runtime lower, upper, step;
  DType type;
  enum Direction { Up, Down, Unknown } direction;
  mlir::Value isDown = nullptr;      ///< i1, where the direction is unknown
  std::optional<Runtime> trips = {}; ///< where the loop counts iterations, from 0, instead
};
/// Of a run-time loop over range(...).
RangeBounds emitRangeBounds(Emitter &e, const CallArguments &arguments);
/// What the loop counts, from the induction variable of the loop over `bounds`; at the insertion point.
Runtime rangeIndex(Emitter &e, const RangeBounds &bounds, mlir::Value induction);

} // namespace hocket::frontend

#endif
