//===- WaitTexts.h - Messages about waits -----------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITTEXTS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITTEXTS_H

#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// Reports that `need.op` certainly lacks a wait for the access that `start` has started.
mlir::LogicalResult reportTooEarly(const WaitNeed &need, mlir::Operation *start);

/// Emits a remark that `wait` could leave `outstanding` groups in flight or, for nullopt, that `wait` is not needed.
void remarkWeaker(mlir::Operation *wait, std::optional<unsigned> outstanding);

/// Returns a description such as "wait for wgmmas that leaves 1 group".
std::string describeWait(mlir::Operation *wait);

} // namespace hocket

#endif
