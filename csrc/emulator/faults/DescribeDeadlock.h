//===- DescribeDeadlock.h - Writes the message for a deadlock or an endless loop -------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBEDEADLOCK_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBEDEADLOCK_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Adds to `failure` the program points at which the lanes of a deadlock or an endless loop wait. Requires that
/// `failure` already has a source location.
void describeDeadlock(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
