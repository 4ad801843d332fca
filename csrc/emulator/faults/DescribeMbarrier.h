//===- DescribeMbarrier.h - Writes the message for a misuse of an mbarrier -----------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBEMBARRIER_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBEMBARRIER_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

/// Adds a description of a wrong use of an mbarrier to `failure`.
void describeMbarrier(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure);

/// Returns the location and the state of the mbarrier at which the lanes `stuck` wait, such as "at the mbarrier
/// `full`[1] in line 40, whose phase 3 lacks 1 of 2 arrivals and 4096 bytes".
std::string describeWaiting(const Program &program, const StuckLanes &stuck);

/// Returns notes on the operations that could complete the phase: "arrivals: at `full`, expected from line 12 of worker
/// `load`".
std::vector<Note> describeMissing(const Program &program, const StuckLanes &stuck);

} // namespace hocket::emulator

#endif
