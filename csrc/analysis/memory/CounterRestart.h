//===- CounterRestart.h - Recognizes counters that wrap around at their end --------===//
//
//     %c = x >= 3 ? 0 : x            compared x,     end 3, restart 0, otherwise x        (arith.select or scf.if)
//     %c = x + 1 < 3 ? x + 1 : 0     compared x + 1, end 3, restart 0, otherwise x + 1
//     %c = x > 0 ? x - 1 : 2         compared x,     end 0, restart 2, otherwise x - 1, downwards
//
// With the condition x >= 3, unlike x == 3, the counter is known modulo 3 only if x never exceeds 3. An incremented x
// does not exceed 3 if the counter is at most 2 before each increment by 1. Results of the selection are at most 2, so
// only the counter's initial value in the loop must be checked.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_COUNTERRESTART_H
#define HOCKET_ANALYSIS_COUNTERRESTART_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace hocket {

struct CounterRestart {
  /// The result is `restart` if `compared` has reached or passed the end. Otherwise the result is `otherwise`.
  mlir::Value compared, otherwise;
  int64_t restart = 0, end = 0;
  /// The counter restarts if `compared` is at least `end` (1), at most `end` (-1), or equal to `end` (0).
  int direction = 0;

  /// Describes a selection; nullopt if its condition is not a comparison with a constant, or if neither value is
  /// constant.
  static std::optional<CounterRestart> of(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  /// Describes the selection whose result is `value`; nullopt if `value` is not the result of a selection.
  static std::optional<CounterRestart> of(mlir::Value value);

  /// True if the counter never passes the end without restarting.
  bool isAtEnd() const;
};

} // namespace hocket

#endif
