//===- WaitTexts.h - What users are told about waits ------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITTEXTS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITTEXTS_H

#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// The error that `need.op` certainly comes before what `start` has started is done.
mlir::LogicalResult reportTooEarly(const WaitNeed &need, mlir::Operation *start);

/// The remark that `wait` may leave so many groups in flight; nothing: that it is not needed.
void remarkWeaker(mlir::Operation *wait, std::optional<unsigned> outstanding);

/// "wait for products that leaves 1 group".
std::string describeWait(mlir::Operation *wait);

} // namespace hocket

#endif
