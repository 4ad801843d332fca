//===- DescribeTensorCopy.h - Writes the message for a mistake in a TMA copy -----------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBETENSORCOPY_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBETENSORCOPY_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Writes the message for an invalid TMA coordinate. In the message, dimension 0 is the outermost dimension, as in the
/// user's code.
void describeCoordinate(const Site &site, const BlockFault &fault, Failure &failure);

/// Writes the message for a descriptor with an invalid field, or for a descriptor that is overwritten while a copy uses
/// it.
void describeDescriptor(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

} // namespace hocket::emulator

#endif
