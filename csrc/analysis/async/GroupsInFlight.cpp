//===- GroupsInFlight.cpp - Outstanding asynchronous accesses and their ages -----------------------===//
#include "analysis/async/GroupsInFlight.h"

#include <algorithm>

namespace hocket {

void GroupsInFlight::start(unsigned number, unsigned numLoops) {
  Entry started{number, When(numLoops), 0, {.age = 0}};
  auto *place = llvm::lower_bound(entries, started, isInOrder);
  if (place != entries.end() && place->isSame(started))
    *place = std::move(started);
  else
    entries.insert(place, std::move(started));
}

void GroupsInFlight::joinIterations(State &state, const State &other) {
  state = {std::min(state.age, other.age), std::min(state.greatestAge, other.greatestAge),
           std::max(state.oldestAge, other.oldestAge), state.mayBeFinished && other.mayBeFinished};
}

template <typename Change>
void GroupsInFlight::remap(Change change) {
  for (Entry &entry : entries)
    change(entry.when); // the order of entries whose keys differ only in `ageAtTrial` may now be wrong
  if (!llvm::is_sorted(entries, isInOrder))
    llvm::sort(entries, isInOrder);
  size_t count = 0;
  for (Entry &entry : entries)
    if (count && entries[count - 1].isSame(entry))
      (entry.isBeforeLoop() ? joinPaths : joinIterations)(entries[count - 1].state, entry.state);
    else if (&entries[count++] != &entry)
      entries[count - 1] = std::move(entry);
  entries.truncate(count);
}

void GroupsInFlight::joinPaths(State &state, const State &other) {
  state.age = std::min(state.age, other.age);
  state.greatestAge = std::max(state.greatestAge, other.greatestAge);
  state.oldestAge = std::max(state.oldestAge, other.oldestAge);
  state.mayBeFinished |= other.mayBeFinished;
}

void GroupsInFlight::sortAndMerge() {
  llvm::sort(entries, isInOrder);
  size_t count = 0;
  for (Entry &entry : entries)
    if (count && entries[count - 1].isSame(entry))
      joinPaths(entries[count - 1].state, entry.state);
    else if (&entries[count++] != &entry)
      entries[count - 1] = std::move(entry);
  entries.truncate(count);
}

void GroupsInFlight::enterLoop() {
  remap([](When &when) { when.push_back({.isBefore = true, .iterations = 0}); });
}

void GroupsInFlight::nextIteration(bool isTrial) {
  llvm::erase_if(entries,
                 [&](const Entry &entry) { return !entry.state.isInFlight() && (isTrial || !entry.isBeforeLoop()); });
  for (Entry &entry : entries)
    if (uint8_t &iterations = entry.when.back().iterations; !entry.state.isInFlight()) {
      iterations = kFar;
    } else if (iterations == kFar) {
      entry.state.oldestAge = kOldest;
      if (entry.isBeforeLoop())
        entry.state.greatestAge = kOldest;
    }
  remap([](When &when) { when.back().iterations = std::min<uint8_t>(when.back().iterations + 1, kFar); });
}

void GroupsInFlight::leaveLoop() {
  remap([](When &when) { // merges entries of accesses that were started before the loop
    if (when.back().isBefore)
      when.back().iterations = 0;
  });
  remap([](When &when) { when.pop_back(); });
}

void GroupsInFlight::markFinishedIn(const GroupsInFlight &other) {
  const Entry *known = other.entries.begin();
  for (Entry &entry : entries) {
    while (known != other.entries.end() && known->isBefore(entry))
      ++known;
    entry.state.mayBeFinished |= known == other.entries.end() || !known->isSame(entry) || !known->state.isInFlight();
  }
}

void GroupsInFlight::joinAlternative(GroupsInFlight other) {
  other.markFinishedIn(*this);
  markFinishedIn(other);
  *this |= other;
}

/// Joins this state with `other`, the state on another path to the same program point.
GroupsInFlight &GroupsInFlight::operator|=(const GroupsInFlight &other) {
  llvm::SmallVector<Entry, 4> all;
  const Entry *next = other.entries.begin();
  for (Entry &entry : entries) {
    for (; next != other.entries.end() && next->isBefore(entry); ++next)
      all.push_back(*next);
    if (next != other.entries.end() && next->isSame(entry)) {
      joinPaths(entry.state, next->state);
      ++next;
    }
    all.push_back(std::move(entry));
  }
  all.append(next, other.entries.end());
  entries = std::move(all);
  return *this;
}

} // namespace hocket
