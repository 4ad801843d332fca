//===- DescribeTensorCopy.h - Writes the message for a mistake in a TMA copy -----------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBETENSORCOPY_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBETENSORCOPY_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Describes a bad TMA coordinate. As in the user's code, dimension 0 is the outermost.
void describeCoordinate(const Site &site, const BlockFault &fault, Failure &failure);

/// Describes a descriptor with a bad field, or a descriptor that is overwritten while a copy reads it.
void describeDescriptor(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
