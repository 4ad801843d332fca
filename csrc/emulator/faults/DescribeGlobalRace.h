//===- DescribeGlobalRace.h - Puts a race in global memory into words ---------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBEGLOBALRACE_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBEGLOBALRACE_H

#include "emulator/faults/Fault.h"
#include "emulator/launch/EmulatedLaunch.h"

namespace hocket::emulator {

/// Tells of accesses by two warps that race; `failure` knows its place already.
void describeGlobalRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
