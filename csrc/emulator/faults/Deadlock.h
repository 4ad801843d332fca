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

/// Appends `waiting` to `stuck`, with one entry per source location where its lanes wait.
void appendBySite(std::vector<StuckLanes> &stuck, const LaneRunner &lanes, StuckLanes waiting);

/// Collects the waiting lanes from each component that lanes can wait at. `spins`: set if lanes wait in loops.
BlockFault collectDeadlock(const LaneRunner &lanes, const Rendezvous &rendezvous, const Barriers &barriers,
                           const ClusterBarrier &cluster, const Mbarriers &mbarriers, const SpinWatch *spins);

} // namespace hocket::emulator

#endif
