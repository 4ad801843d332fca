//===- SyncHistory.cpp - Log of the synchronization between blocks --------------------------===//
#include "emulator/races/SyncHistory.h"

#include <algorithm>

namespace hocket::emulator {

void BlockKnowledge::read(const BlockClock &variable, bool acquires) {
  BlockClock &into = acquires ? clock : seen;
  into = BlockClock::join(into, variable);
}

void BlockKnowledge::write(BlockClock &variable, bool releases, uint64_t self, uint32_t released) {
  if (releases)
    clock = clock.with(self, released);
  variable = BlockClock::join(releases ? clock : fenced, variable);
}

void BlockKnowledge::fence(bool acquires, bool releases, uint64_t self, uint32_t released) {
  if (acquires)
    clock = BlockClock::join(clock, seen);
  if (releases)
    fenced = clock = clock.with(self, released);
}

std::vector<SyncEvent> &SyncHistory::newLog() {
  std::lock_guard lock(mutex);
  return logs.emplace_back();
}

void SyncHistory::replayEvent(const SyncEvent &event) {
  BlockKnowledge &block = known[event.block];
  if (!event.address) {
    block.fence(event.acquires, event.releases, event.block, event.released);
    return;
  }
  BlockClock &variable = at(event.address).clock;
  if (event.reads)
    block.read(variable, event.acquires);
  if (event.writes)
    block.write(variable, event.releases, event.block, event.released);
}

void SyncHistory::replay() {
  if (isReplayed())
    return;
  std::lock_guard lock(mutex);
  if (isReplayed())
    return;
  // The locks prevent appends to the logs during the replay.
  for (Stripe &stripe : stripes)
    stripe.mutex.lock();
  std::vector<SyncEvent> events;
  for (std::vector<SyncEvent> &log : logs) {
    events.insert(events.end(), log.begin(), log.end());
    log = {};
  }
  std::ranges::sort(events, {}, &SyncEvent::number);
  for (const SyncEvent &event : events)
    replayEvent(event);
  replayed.store(true, std::memory_order_release);
  for (Stripe &stripe : stripes)
    stripe.mutex.unlock();
}

BlockKnowledge SyncHistory::knowledgeOf(uint64_t block) const {
  auto found = known.find(block);
  return found == known.end() ? BlockKnowledge() : found->second;
}

} // namespace hocket::emulator
