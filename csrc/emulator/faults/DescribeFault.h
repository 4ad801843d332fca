//===- DescribeFault.h - Writes the message for a fault ----------------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBEFAULT_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBEFAULT_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Returns the Failure for `fault`, with the message for the user.
Failure describe(const EmulatedLaunch &launch, const BlockFault &fault);

} // namespace hocket::emulator

#endif
