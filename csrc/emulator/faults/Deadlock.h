//===- Deadlock.h - Who waits where when no lane can go on -------------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_DEADLOCK_H
#define HOCKET_EMULATOR_FAULTS_DEADLOCK_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"

#include <vector>

namespace hocket::emulator {

class Barriers;
class ClusterBarrier;
class Mbarriers;
class Meetings;
class SpinWatch;

/// Appends `waiting` to `stuck`, one entry per place in the source where its lanes wait.
void appendBySite(std::vector<StuckLanes> &stuck, const LaneRunner &lanes, StuckLanes waiting);

/// Whatever lanes can wait at is asked here who does. `spins`: they wait in loops.
BlockFault describeDeadlock(const LaneRunner &lanes, const Meetings &meetings, const Barriers &barriers,
                            const ClusterBarrier &cluster, const Mbarriers &mbarriers, const SpinWatch *spins);

} // namespace hocket::emulator

#endif
