//===- SharedRaces.h - Accesses of shared memory by two warps that nothing orders --------------===//
//
// Ties HappensBefore (which moments of warps are ordered) and SharedShadow (who accessed what) to the lanes of one
// block after the other: each lane is at a moment, and what synchronises lanes moves it on. Where races are not looked
// for, nothing is kept and nothing happens here.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_SHAREDRACES_H
#define HOCKET_EMULATOR_RACES_SHAREDRACES_H

#include "emulator/block/Lane.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/host/Program.h"
#include "emulator/races/HappensBefore.h"
#include "emulator/races/SharedShadow.h"

#include <optional>
#include <vector>

namespace hocket::emulator {

class SharedRaces {
public:
  /// `shared`: the shared memory of the block.
  SharedRaces(const Program &program, bool isWanted, const std::byte *shared, BlockFaults &faults);

  bool areWatched() const { return order.has_value(); }
  void begin();

  /// `stored`: what a store will write, or null. Fails the lane where the access is in conflict with another.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site) {
    if (!order)
      return;
    auto [kind, bytes] = accesses[site];
    const Moment &moment = *lanes[lane.thread].moment;
    Accessor who = {lane.warp, lane.lane, site};
    if (kind == SharedAccess::Read && shadow->tryRead(offset, bytes, moment, who)) [[likely]]
      return;
    if (kind == SharedAccess::Write && shadow->tryWrite(offset, bytes, moment, who)) [[likely]]
      return;
    accessSlowly(lane, {offset, bytes, stored}, site);
  }
  void fence(const Lane &lane, uint32_t effects);
  /// The lane has ended: it synchronises with nobody any more.
  void finish(const Lane &lane);

  // What synchronises warps calls these in their order: each lane arrives; what the lanes of a warp have released until
  // then is passed on; and each lane that leaves receives what has been passed on. `opening` tells one opening of a
  // barrier from all others.
  void arrive(const Lane &lane);
  void passOn(uint32_t warp, VectorClock &passedOn);
  void leaveBarrier(const Lane &lane, const VectorClock &passedOn, uint64_t opening);

  /// `lane`, the running one, starts a copy to shared memory for the lane number `copier` of its warp. Any access of
  /// these bytes is in conflict with the copy until it is waited for.
  void beginCopy(Lane &lane, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site);
  /// `lane` has waited for the copy: from here on it is a write like others.
  void endCopy(const Lane &lane, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Nobody will wait for the copy: the block that started it has ended.
  void dropCopy(uint64_t offset, uint64_t bytes);

private:
  struct Access {
    SharedAccess kind;
    uint32_t bytes;
  };
  struct LaneState {
    MomentRef moment;
    MomentRef arrival; ///< `moment` at a barrier that its warp has not reached as a whole
  };

  void accessSlowly(Lane &lane, const SharedBytes &place, uint32_t site);
  [[noreturn]] void fail(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict);
  /// Whether a barrier orders by itself, as NVIDIA's does.
  bool barriersOrder() const { return program.target->vendor == Vendor::Nvidia; }

  const Program &program;
  BlockFaults &faults;
  std::vector<Access> accesses;       ///< by site
  std::optional<HappensBefore> order; ///< outlives the moments
  std::optional<SharedShadow> shadow;
  std::vector<LaneState> lanes; ///< by thread
};

} // namespace hocket::emulator

#endif
