//===- DescribeGlobalRace.h - Writes the message for a race in global memory --------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBEGLOBALRACE_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBEGLOBALRACE_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Adds to `failure` a description of two accesses of global memory that race. Requires that `failure` already has a
/// source location.
void describeGlobalRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
