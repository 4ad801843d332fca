//===- VirtualClock.cpp - A timing model of a compute unit ---------------------------------===//
#include "emulator/timing/VirtualClock.h"

#include <algorithm>
#include <tuple>

namespace hocket::emulator {

VirtualClock::VirtualClock(const Model &model, unsigned warps, unsigned results)
    : model(model), numResults(results), warps(warps), resultAt(size_t(warps) * results), vectorFree(model.simds),
      matrixFree(model.simds) {}

bool VirtualClock::isBefore(unsigned warp, unsigned other) const {
  const Warp &a = warps[warp], &b = warps[other];
  return std::tuple(a.now, ~a.priority, warp) < std::tuple(b.now, ~b.priority, other);
}

void VirtualClock::moveTo(unsigned warp, Clocks time) { warps[warp].now = std::max(warps[warp].now, time); }

void VirtualClock::waitForResults(unsigned warp, const std::vector<uint32_t> &results) {
  for (uint32_t number : results)
    moveTo(warp, resultAt[size_t(warp) * numResults + number]);
}

void VirtualClock::waitForAccesses(unsigned warp, uint32_t fence) {
  if (fence & kFencesShared)
    moveTo(warp, warps[warp].sharedDone);
  if (fence & kFencesGlobal)
    moveTo(warp, warps[warp].globalDone);
}

Clocks &VirtualClock::freeAt(unsigned warp, TimedUnit unit) {
  switch (unit) {
  case TimedUnit::Matrix:
    return matrixFree[warp % model.simds];
  case TimedUnit::Shared:
    return sharedFree;
  case TimedUnit::Memory:
    return memoryFree;
  case TimedUnit::None:
  case TimedUnit::Vector:
    break;
  }
  return vectorFree[warp % model.simds];
}

bool VirtualClock::tryIssue(unsigned warp, const TimedEvent &event) {
  Warp &self = warps[warp];
  Clocks &free = freeAt(warp, event.unit);
  if (event.kind == TimedKind::Wgmma) {
    Clocks begin = std::max(free, self.now);
    free = begin + event.busy;
    self.lastWgmma = {begin, free};
    self.async[size_t(Async::Wgmmas)].add(free + event.latency);
    self.now += event.issue;
    return true;
  }
  bool hasQueue = event.unit == TimedUnit::Shared || event.unit == TimedUnit::Memory;
  Clocks backlog = hasQueue ? model.queue : 0;
  if (free > self.now + backlog) {
    self.now = free - backlog;
    return false;
  }
  free = std::max(free, self.now) + event.busy;
  Clocks done = free + event.latency;
  if (event.result >= 0)
    resultAt[size_t(warp) * numResults + size_t(event.result)] = done;
  if (event.unit == TimedUnit::Shared)
    self.sharedDone = std::max(self.sharedDone, done);
  if (event.kind == TimedKind::Copy) {
    copiesOn(warp, event.counter).add(done);
  } else if (event.unit == TimedUnit::Memory) {
    self.globalDone = std::max(self.globalDone, done);
  }
  self.now += event.issue;
  return true;
}

void VirtualClock::Groups::commit() {
  // Commit groups complete in the order in which they were committed.
  Clocks before = groups.empty() ? 0 : groups.back();
  groups.push_back(std::max(before, std::exchange(openGroup, 0)));
}

Clocks VirtualClock::Groups::doneBut(uint32_t outstanding) const {
  return groups.size() > outstanding ? groups[groups.size() - 1 - outstanding] : 0;
}

VirtualClock::Groups &VirtualClock::copiesOn(unsigned warp, host_abi::CopyCounter counter) {
  std::vector<Groups> &copies = warps[warp].copies;
  if (copies.size() <= size_t(counter))
    copies.resize(size_t(counter) + 1);
  return copies[size_t(counter)];
}

void VirtualClock::commitCopies(unsigned warp, host_abi::CopyCounter counter) { copiesOn(warp, counter).commit(); }

void VirtualClock::waitForCopies(unsigned warp, host_abi::CopyCounter counter, uint32_t outstanding) {
  moveTo(warp, copiesOn(warp, counter).doneBut(outstanding));
}

Clocks VirtualClock::arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter) {
  const Groups &copies = copiesOn(warp, counter);
  return std::max(copies.openGroup, copies.doneBut(0));
}

// Bulk copies, wgmma -------------------------------------------------------------------------------------------------

Clocks VirtualClock::moveBytes(unsigned warp, uint64_t bytes) {
  return memoryFree = std::max(memoryFree, warps[warp].now) + bytes / model.memoryBytes;
}

Clocks VirtualClock::startLoad(unsigned warp, uint64_t bytes) { return moveBytes(warp, bytes) + model.memoryLatency; }

void VirtualClock::startStore(unsigned warp, uint64_t bytes) {
  Clocks read = moveBytes(warp, bytes);
  warps[warp].async[size_t(Async::ReadsOfStores)].add(read);
  warps[warp].async[size_t(Async::Stores)].add(read + model.memoryLatency);
}

void VirtualClock::commit(unsigned warp, Async what) { warps[warp].async[size_t(what)].commit(); }

void VirtualClock::waitFor(unsigned warp, Async what, uint32_t outstanding) {
  moveTo(warp, warps[warp].async[size_t(what)].doneBut(outstanding));
}

void VirtualClock::arrive(unsigned warp, unsigned barrier) {
  Clocks &last = lastArrival[barrier % kMaxNamedBarriers];
  last = std::max(last, warps[warp].now);
}

Clocks VirtualClock::open(unsigned barrier) {
  return std::exchange(lastArrival[barrier % kMaxNamedBarriers], 0) + model.barrier;
}

} // namespace hocket::emulator
