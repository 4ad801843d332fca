//===- CounterRestart.h - Counters that start anew at their end --------------------===//
//
//     %c = x >= 3 ? 0 : x            compared x,     end 3, restart 0, otherwise x        (arith.select or scf.if)
//     %c = x + 1 < 3 ? x + 1 : 0     compared x + 1, end 3, restart 0, otherwise x + 1
//     %c = x > 0 ? x - 1 : 2         compared x,     end 0, restart 2, otherwise x - 1, downwards
//
// Of x >= 3, unlike x == 3, the counter is known modulo 3 only if x is never more than 3: if it is 2 at most before it
// is increased by 1. A choice bounds its result itself (x < 3 where it is not 0), so only what a loop starts with must
// be looked at.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_COUNTERRESTART_H
#define HOCKET_ANALYSIS_COUNTERRESTART_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace hocket {

struct CounterRestart {
  /// Past the end the counter is `restart`, else `otherwise`.
  mlir::Value compared, otherwise;
  int64_t restart = 0, end = 0;
  /// 1: from `end` on. -1: from `end` down. 0: at `end` only.
  int direction = 0;

  /// Nothing if the choice does not depend on a comparison with a constant, or no constant can be chosen.
  static std::optional<CounterRestart> of(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  /// The choice whose result `value` is.
  static std::optional<CounterRestart> of(mlir::Value value);

  /// Is it the end itself that makes the counter start anew, never anything past it?
  bool isAtEnd() const;
};

} // namespace hocket

#endif
