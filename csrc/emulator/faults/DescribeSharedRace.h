//===- DescribeSharedRace.h - Puts a race in shared memory into words --------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBESHAREDRACE_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBESHAREDRACE_H

#include "emulator/faults/Fault.h"
#include "emulator/launch/EmulatedLaunch.h"

namespace hocket::emulator {

/// Tells of accesses of shared memory by two warps that race; `failure` knows its place already.
void describeSharedRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
