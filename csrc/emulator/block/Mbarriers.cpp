//===- Mbarriers.cpp - Barriers in shared memory that count arrivals and bytes -----------------===//
#include "emulator/block/Mbarriers.h"

#include "emulator/faults/Deadlock.h"
#include "target/Mbarriers.h"

#include <algorithm>

namespace hocket::emulator {

using host_abi::CopyCounter;

bool Mbarriers::Mbarrier::isWaitedFor() const {
  return std::ranges::any_of(waiting, [](LaneMask lanesOfWarp) { return lanesOfWarp != 0; });
}

Mbarriers::Mbarriers(const EmulatedLaunch &launch, LaneRunner &lanes, WarpScheduler &scheduler, BlockFaults &faults,
                     SharedMemory &shared, CopiesToShared &copies, WarpOrder &globalOrder, BlockTiming &timing)
    : program(launch.program), completion(launch.options.completion), seed(launch.options.seed), lanes(lanes),
      scheduler(scheduler), faults(faults), shared(shared), copies(copies),
      orders{shared.races().warpOrder(), globalOrder}, timing(timing) {
  scheduler.setDelivery([this](Clocks time) { return deliverUntil(time); });
}

void Mbarriers::begin(uint64_t block) {
  mbarriers.clear();
  random.seed(seed * 0x9e3779b9 + block + 1);
}

// Lane operations ----------------------------------------------------------------------------------------------------

void Mbarriers::checkOffset(Lane &lane, uint64_t offset, uint32_t site) {
  if (offset % kMbarrierBytes != 0 || offset + kMbarrierBytes > program.sharedBytes || offset > program.sharedBytes)
    faults.failAt(lane, site, offset);
  shared.remote().access(lane, offset, site);
  shared.races().access(lane, offset, nullptr, site);
}

Mbarriers::Mbarrier &Mbarriers::use(Lane &lane, uint64_t offset, uint32_t site) {
  checkOffset(lane, offset, site);
  auto found = mbarriers.find(offset);
  if (found == mbarriers.end())
    faults.fail(lane, {.kind = FailureKind::Mbarrier,
                       .site = site,
                       .thread = lane.thread,
                       .address = offset,
                       .mbarrier = {.mistake = MbarrierMistake::NotInitialized}});
  if (!found->second.isLive)
    faults.fail(lane, faultAt(MbarrierMistake::Invalidated, offset, site, lane.thread));
  return found->second;
}

BlockFault Mbarriers::faultAt(MbarrierMistake mistake, uint64_t offset, uint32_t site, uint32_t thread,
                              int64_t more) const {
  const Mbarrier &mbarrier = mbarriers.at(offset);
  return {.kind = FailureKind::Mbarrier,
          .site = site,
          .thread = thread,
          .address = offset,
          .mbarrier = {.mistake = mistake,
                       .otherSite = mbarrier.site,
                       .phase = mbarrier.phase,
                       .count = mbarrier.count,
                       .pending = mbarrier.pending,
                       .bytes = mbarrier.bytes,
                       .more = more}};
}

void Mbarriers::init(Lane &lane, uint64_t offset, uint32_t count, uint32_t site) {
  checkOffset(lane, offset, site);
  Mbarrier &mbarrier = mbarriers[offset];
  if (mbarrier.isLive)
    faults.fail(lane, faultAt(MbarrierMistake::InitializedAgain, offset, site, lane.thread));
  mbarrier.waiting.resize(program.numWarps);
  mbarrier = {
      .isLive = true, .site = site, .warp = lane.warp, .count = count, .pending = count, .waiting = mbarrier.waiting};
  if (orders.shared.isKept())
    mbarrier.epoch = orders.shared.clocksOf(lane).epoch;
  shared.define(offset, kMbarrierBytes, nullptr);
  shared.guard(offset, site);
}

void Mbarriers::invalidate(Lane &lane, uint64_t offset, uint32_t site) {
  Mbarrier &mbarrier = use(lane, offset, site);
  mbarrier.isLive = false;
  mbarrier.site = site;
  shared.release(offset);
}

void Mbarriers::release(const Lane &lane, Released &released) {
  orders.forEach([&](unsigned memory, WarpOrder &order) { order.releaseTo(lane, released[memory]); });
}

Released Mbarriers::releasedBy(const Lane &lane) {
  Released released = {};
  release(lane, released);
  return released;
}

void Mbarriers::arrive(Lane &lane, uint64_t offset, uint32_t count, uint32_t site) {
  Mbarrier &mbarrier = use(lane, offset, site);
  if (count > mbarrier.pending)
    faults.fail(lane, faultAt(MbarrierMistake::TooManyArrivals, offset, site, lane.thread, count));
  release(lane, mbarrier.releasing);
  mbarrier.pending -= count;
  mbarrier.latest = std::max(mbarrier.latest, timing.now(lane.warp));
  complete(mbarrier);
  letOthersRun(lane);
}

void Mbarriers::expectBytes(Lane &lane, uint64_t offset, uint32_t bytes, uint32_t site) {
  Mbarrier &mbarrier = use(lane, offset, site);
  mbarrier.expected += bytes;
  mbarrier.bytes += bytes;
  if (mbarrier.expected > kMostMbarrierBytes)
    faults.fail(lane, faultAt(MbarrierMistake::TooManyExpected, offset, site, lane.thread, mbarrier.expected));
  arrive(lane, offset, 1, site);
}

void Mbarriers::arriveAfterCopies(Lane &lane, uint64_t offset, bool increments, uint32_t site) {
  Mbarrier &mbarrier = use(lane, offset, site);
  LaneMask group = lanes.converge(lane, site);
  if (!group)
    return;
  Epoch now = orders.shared.isKept() ? orders.shared.clocksOf(lane).epoch : 0;
  ComingArrivals arrivals = {
      .warp = lane.warp,
      .site = site,
      .lanes = group,
      .numCopies = copies.track(lane.warp, CopyCounter::CopyGroups, now),
      .at = std::max(timing.now(lane.warp), timing.arrivalOfCopies(lane.warp, CopyCounter::CopyGroups))};
  forEachLane(group, [&](unsigned number) { release(lanes.lane(lane.warp, number), arrivals.released); });
  if (increments)
    mbarrier.pending += uint32_t(std::popcount(group));
  mbarrier.coming.push_back(std::move(arrivals));
  bool isEarly = completion == Completion::Now || (completion == Completion::Random && random() % 2 == 0);
  if (isEarly)
    deliverArrivals(offset, mbarrier);
  lanes.part(lane, group);
}

void Mbarriers::wait(Lane &lane, uint64_t offset, uint32_t parity, uint32_t site) {
  Mbarrier &mbarrier = use(lane, offset, site);
  // An mbarrier does not wait for its waiters. If a lane waits late, a later phase of the same parity may have begun.
  // The lane then waits for the end of the later phase.
  while (mbarrier.phase % 2 == parity) {
    lane.waitSite = site;
    mbarrier.waiting[lane.warp] |= bitOf(lane);
    lanes.suspend(lane);
  }
  finishCopies(mbarrier);
  orders.forEach([&](unsigned memory, WarpOrder &order) {
    order.acquireFrom(lane, mbarrier.released[memory], mbarrier.completion);
  });
  if (lane.lane == 0)
    timing.leaveBarrier(lane.warp, site, mbarrier.completed);
}

void Mbarriers::letOthersRun(Lane &lane) {
  if (scheduler.isAnotherPreferred(lane.warp))
    lanes.endTimeSlice(lane);
}

// Phases --------------------------------------------------------------------------------------------------------------

void Mbarriers::complete(Mbarrier &mbarrier) {
  if (mbarrier.pending || mbarrier.bytes)
    return;
  ++mbarrier.phase;
  mbarrier.pending = mbarrier.count;
  mbarrier.expected = 0;
  mbarrier.released = std::exchange(mbarrier.releasing, {});
  mbarrier.completion = ++completions;
  mbarrier.completed = std::exchange(mbarrier.latest, 0);
  for (uint32_t waiter = 0; waiter < lanes.warpCount(); ++waiter)
    if (LaneMask woken = std::exchange(mbarrier.waiting[waiter], 0))
      lanes.wake(waiter, woken);
}

void Mbarriers::checkIsReady(Lane &lane, uint64_t offset, uint32_t site) {
  auto found = mbarriers.find(offset);
  bool isReady = found != mbarriers.end() && found->second.isLive;
  if (isReady && orders.shared.isKept())
    isReady = orders.shared.clocksOf(lane).isAfter(found->second.warp, found->second.epoch);
  if (!isReady)
    faults.fail(lane, {.kind = FailureKind::Mbarrier,
                       .site = site,
                       .thread = lane.thread,
                       .address = offset,
                       .mbarrier = {.mistake = MbarrierMistake::NotReady}});
}

void Mbarriers::completeBytes(uint64_t offset, const Brought &brought, const Released &released) {
  const auto [bytes, site, thread, at] = brought;
  auto found = mbarriers.find(offset);
  if (found == mbarriers.end())
    return faults.report({.kind = FailureKind::Mbarrier,
                          .site = site,
                          .thread = thread,
                          .address = offset,
                          .mbarrier = {.mistake = MbarrierMistake::NotInitialized}});
  Mbarrier &mbarrier = found->second;
  if (!mbarrier.isLive)
    return faults.report(faultAt(MbarrierMistake::Invalidated, offset, site, thread));
  orders.forEach([&](unsigned memory, WarpOrder &) { mbarrier.releasing[memory].join(released[memory]); });
  mbarrier.bytes -= bytes;
  mbarrier.latest = std::max(mbarrier.latest, at);
  // No arrivals are pending, so no thread can expect more bytes in this phase.
  if (mbarrier.pending == 0 && mbarrier.bytes < 0)
    return faults.report(faultAt(MbarrierMistake::TooManyBytes, offset, site, thread, -mbarrier.bytes));
  complete(mbarrier);
}

// Copies --------------------------------------------------------------------------------------------------------------

void Mbarriers::deliverArrivals(uint64_t offset, Mbarrier &mbarrier) {
  ComingArrivals arrivals = std::move(mbarrier.coming.front());
  mbarrier.coming.erase(mbarrier.coming.begin());
  auto count = uint32_t(std::popcount(arrivals.lanes));
  if (count > mbarrier.pending) {
    uint32_t thread = arrivals.warp * lanes.warpSize + firstOf(arrivals.lanes);
    return faults.report(faultAt(MbarrierMistake::TooManyArrivals, offset, arrivals.site, thread, count));
  }
  orders.forEach([&](unsigned memory, WarpOrder &) { mbarrier.releasing[memory].join(arrivals.released[memory]); });
  mbarrier.pending -= count;
  arrivals.phase = mbarrier.phase;
  mbarrier.latest = std::max(mbarrier.latest, arrivals.at);
  complete(mbarrier);
  mbarrier.arrived.push_back(std::move(arrivals));
}

void Mbarriers::finishCopies(Mbarrier &mbarrier) {
  std::erase_if(mbarrier.arrived, [&](const ComingArrivals &arrivals) {
    bool isComplete = arrivals.phase < mbarrier.phase;
    if (isComplete)
      copies.finishFirst(arrivals.warp, CopyCounter::CopyGroups, arrivals.numCopies);
    return isComplete;
  });
}

bool Mbarriers::deliverUntil(Clocks until) {
  std::optional<Clocks> first;
  std::function<void()> bring;
  auto consider = [&](std::optional<Clocks> at, auto how) {
    if (!at || *at > until || (first && *first <= *at))
      return;
    first = at;
    bring = how;
  };
  for (auto &[offset, mbarrier] : mbarriers) {
    if (!mbarrier.isWaitedFor())
      continue;
    if (!mbarrier.coming.empty())
      consider(mbarrier.coming.front().at, [&, offset] { deliverArrivals(offset, mbarriers.at(offset)); });
    for (const Source &source : sources)
      consider(source.next(offset), [&source, offset] { source.bring(offset); });
    if (first && !timing.isRecording())
      break;
  }
  if (bring)
    bring();
  return first.has_value();
}

void Mbarriers::appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const {
  for (const auto &[offset, mbarrier] : mbarriers)
    appendBySite(stuck, lanes,
                 {.where = StuckLanes::Where::Mbarrier,
                  .warp = warp,
                  .lanes = mbarrier.waiting[warp],
                  .expected = mbarrier.count,
                  .address = offset,
                  .phase = mbarrier.phase,
                  .missing = mbarrier.pending,
                  .bytes = mbarrier.bytes});
}

} // namespace hocket::emulator
