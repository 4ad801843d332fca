//===- CounterRestart.h - Recognizes counters that wrap around at their end --------===//
//
//     %c = x >= 3 ? 0 : x            compared x,     end 3, restart 0, otherwise x        (arith.select or scf.if)
//     %c = x + 1 < 3 ? x + 1 : 0     compared x + 1, end 3, restart 0, otherwise x + 1
//     %c = x > 0 ? x - 1 : 2         compared x,     end 0, restart 2, otherwise x - 1, downwards
//
// With the condition x >= 3, the counter is known modulo 3 only if x never exceeds 3; the condition x == 3 needs no
// such check. If x is the counter plus 1, x does not exceed 3 as long as the counter is at most 2 before each
// increment. Each result of the selection is at most 2, so only the initial value of the counter must be checked.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_COUNTERRESTART_H
#define HOCKET_ANALYSIS_COUNTERRESTART_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace hocket {

struct CounterRestart {
  /// The result of the selection is `restart` if `compared` has reached or passed `end`, and `otherwise` if not.
  mlir::Value compared, otherwise;
  int64_t restart = 0, end = 0;
  /// The counter restarts if `compared` is at least `end` (direction 1), at most `end` (direction -1), or equal to
  /// `end` (direction 0).
  int direction = 0;

  /// Returns a description of the selection; nullopt if `condition` is not a supported comparison with a constant, or
  /// if neither selected value is constant.
  static std::optional<CounterRestart> of(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  /// Returns a description of the selection (arith.select or scf.if) whose result is `value`; nullopt if `value` is not
  /// the result of such a selection.
  static std::optional<CounterRestart> of(mlir::Value value);

  /// True if `compared` certainly never passes `end`, so that the counter restarts exactly at `end`.
  bool isAtEnd() const;
};

} // namespace hocket

#endif
