//===- BlockOrder.cpp - Happens-before order between blocks ---------------------------------===//
#include "emulator/races/BlockOrder.h"

#include <algorithm>
#include <ranges>

namespace hocket::emulator {

/// Address that a fence locks. A thread must hold the lock of an address to append to the log, and a fence has no
/// address of its own.
static constexpr uintptr_t kNoAddress = 0;

void BlockOrder::begin(uint64_t block) {
  self = block;
  epoch = 1;
  begun.clear();
  current = findSegment(0);
  isEpochUsed = false;
  isInformed = history.isReplayed();
  knowledge = {};
  hasFenced = false;
  learned = 0;
  last = {};
}

BlockOrder::NumberedSegment BlockOrder::findSegment(uint32_t warpEpoch) {
  // The search starts at the latest segment, because a warp is mostly in one of the latest epochs.
  for (const NumberedSegment &segment : std::views::reverse(begun))
    if (segment.warpEpoch == warpEpoch)
      return segment;
  return begun.emplace_back(NumberedSegment{warpEpoch, segments.begin({self, epoch, warpEpoch})});
}

void BlockOrder::inform() {
  history.replay();
  knowledge = history.knowledgeOf(self);
  isInformed = true;
}

uint32_t BlockOrder::releaseEpoch() {
  if (isEpochUsed) {
    ++epoch;
    begun.clear();
    current = findSegment(current.warpEpoch);
    isEpochUsed = false;
  }
  return epoch - 1;
}

bool BlockOrder::endAccess(uintptr_t address, bool acquires, bool releases, bool writes, uint32_t released) {
  SyncHistory::Variable &variable = history.at(address);
  bool isForeign = variable.writer && *variable.writer != self;
  if (writes)
    variable.writer = self;
  if (!history.isReplayed()) {
    writeDown(variable, {0, address, uint32_t(self), released, acquires, releases, true, writes});
    bool isLogFull = log.size() > SyncHistory::kMaxEvents;
    history.unlock(address);
    if (isLogFull)
      inform();
    return isForeign;
  }
  if (!isInformed) // cannot deadlock: after the replay, `inform` locks no variable
    inform();
  knowledge.read(variable.clock, acquires);
  if (writes)
    knowledge.write(variable.clock, releases, self, released);
  history.unlock(address);
  return isForeign;
}

void BlockOrder::writeDown(SyncHistory::Variable &variable, SyncEvent event) {
  bool isSame = last.address == event.address && last.version == variable.version;
  bool hasAcquired = variable.version == 0 || (isSame && last.acquired);
  bool hasRead = variable.version == 0 || (isSame && (last.acquired || !event.acquires));
  bool hasTold = isSame && last.told && last.learned == learned && last.epoch == event.released &&
                 (last.released || !event.releases);
  event.reads = !hasRead;
  event.writes &= (event.releases || hasFenced) && !hasTold;
  if (!event.reads && !event.writes)
    return;
  event.number = history.nextNumber();
  log.push_back(event);
  learned += event.reads;
  if (event.writes)
    variable.version = event.number;
  last = {event.address, variable.version, hasAcquired || event.acquires, event.writes, event.releases,
          learned,       event.released};
}

void BlockOrder::fence(bool acquires, bool releases) {
  uint32_t released = releases ? releaseEpoch() : epoch - 1;
  history.lock(kNoAddress);
  if (!history.isReplayed()) {
    log.push_back({history.nextNumber(), kNoAddress, uint32_t(self), released, acquires, releases, false, false});
    hasFenced |= releases;
    ++learned;
    history.unlock(kNoAddress);
    return;
  }
  history.unlock(kNoAddress);
  if (!isInformed)
    inform();
  knowledge.fence(acquires, releases, self, released);
}

} // namespace hocket::emulator
