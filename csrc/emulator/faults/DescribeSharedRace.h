//===- DescribeSharedRace.h - Writes the message for a race in shared memory -------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBESHAREDRACE_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBESHAREDRACE_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Adds to `failure` a description of two accesses of shared memory that race. Requires that `failure` already has a
/// source location.
void describeSharedRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
