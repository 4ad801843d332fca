//===- Deadlock.h - Collects the waiting lanes of a deadlock ----------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DEADLOCK_H
#define HOCKET_EMULATOR_FAULTS_DEADLOCK_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"

#include <vector>

namespace hocket::emulator {

class Barriers;
class ClusterBarrier;
class Mbarriers;
class Rendezvous;
class SpinWatch;

/// Appends `waiting` to `stuck`, with one entry for each source location at which lanes of `waiting` wait.
void appendBySite(std::vector<StuckLanes> &stuck, const LaneRunner &lanes, StuckLanes waiting);

/// Collects the waiting lanes from each component at which lanes can wait. `spins`: null unless lanes wait in loops.
BlockFault collectDeadlock(const LaneRunner &lanes, const Rendezvous &rendezvous, const Barriers &barriers,
                           const ClusterBarrier &cluster, const Mbarriers &mbarriers, const SpinWatch *spins);

} // namespace hocket::emulator

#endif
