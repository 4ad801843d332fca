//===- CounterRestart.h - Recognizes counters that wrap around at their end --------===//
//
//     %c = x >= 3 ? 0 : x            compared x,     end 3, restart 0, otherwise x        (arith.select or scf.if)
//     %c = x + 1 < 3 ? x + 1 : 0     compared x + 1, end 3, restart 0, otherwise x + 1
//     %c = x > 0 ? x - 1 : 2         compared x,     end 0, restart 2, otherwise x - 1, downwards
//
// For x >= 3, unlike x == 3, the counter is known modulo 3 only if x never exceeds 3: if it is at most 2 before it is
// incremented by 1. A selection bounds its own result (x < 3 unless it is 0), so only the initial value of the loop
// must be checked.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_COUNTERRESTART_H
#define HOCKET_ANALYSIS_COUNTERRESTART_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace hocket {

struct CounterRestart {
  /// Past the end the counter is `restart`, otherwise `otherwise`.
  mlir::Value compared, otherwise;
  int64_t restart = 0, end = 0;
  /// 1: from `end` upward. -1: from `end` downward. 0: at `end` only.
  int direction = 0;

  /// Returns nullopt if the selection does not depend on a comparison with a constant, or selects no constant.
  static std::optional<CounterRestart> of(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  /// Returns the selection whose result is `value`.
  static std::optional<CounterRestart> of(mlir::Value value);

  /// True if the counter only restarts at the end itself, never past it.
  bool isAtEnd() const;
};

} // namespace hocket

#endif
