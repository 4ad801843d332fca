//===- DescribeSharedRace.h - Writes the message for a race in shared memory -------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBESHAREDRACE_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBESHAREDRACE_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Adds to `failure`, which already has a location, a description of two accesses of shared memory that race.
void describeSharedRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
