//===- MatrixTime.h - Time for which an MMA occupies matrix units -----------------===//
//
// The vendor dialects attach the interface to their operations (hk_nv/MatrixTimes.h, hk_amd/MatrixTimes.h), because
// only the passes that estimate times use the interface.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_MATRIXTIME_H
#define HOCKET_DIALECT_HK_FACTS_MATRIXTIME_H

#include "mlir/IR/OpDefinition.h"

namespace hocket::hk {

/// The matrix instructions that one warp executes for an MMA.
struct MatrixWork {
  int64_t instructions = 0;
  /// Clocks for which an instruction occupies the matrix unit.
  int64_t clocksEach = 0;
  /// Number of instructions that accumulate into the same result, one after the other along K.
  int64_t stepsAlongK = 1;

  int64_t clocks() const { return instructions * clocksEach; }
};

} // namespace hocket::hk

#include "dialect/hk/facts/MatrixTimeInterfaces.h.inc"

#endif
