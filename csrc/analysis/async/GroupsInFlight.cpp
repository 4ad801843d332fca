//===- GroupsInFlight.cpp - Which asynchronous accesses are unfinished, and how old they are -------===//
#include "analysis/async/GroupsInFlight.h"

#include <algorithm>

namespace hocket {

void GroupsInFlight::start(unsigned number, unsigned numLoops) {
  Entry started{number, When(numLoops), {.age = 0}};
  auto isBefore = [](const Entry &entry, const Entry &other) { return entry.isBefore(other); };
  auto *place = llvm::lower_bound(entries, started, isBefore);
  if (place != entries.end() && place->isSame(started))
    *place = std::move(started);
  else
    entries.insert(place, std::move(started));
}

template <typename Change>
void GroupsInFlight::remap(Change change) {
  size_t count = 0;
  for (Entry &entry : entries) {
    change(entry.when); // keeps the order
    if (count && entries[count - 1].isSame(entry)) {
      State &known = entries[count - 1].state;
      known = {std::min(known.age, entry.state.age), std::min(known.greatestAge, entry.state.greatestAge),
               known.mayBeFinished && entry.state.mayBeFinished};
    } else if (&entries[count++] != &entry) {
      entries[count - 1] = std::move(entry);
    }
  }
  entries.truncate(count);
}

void GroupsInFlight::enterLoop() {
  remap([](When &when) { when.push_back({.isBefore = true, .iterations = 0}); });
}

void GroupsInFlight::nextIteration() {
  llvm::erase_if(entries, [](const Entry &entry) { return !entry.state.isInFlight(); });
  remap([](When &when) { when.back().iterations = std::min<uint8_t>(when.back().iterations + 1, kFar); });
}

void GroupsInFlight::leaveLoop() {
  remap([](When &when) { when.pop_back(); });
}

/// On different paths.
GroupsInFlight &GroupsInFlight::operator|=(const GroupsInFlight &other) {
  llvm::SmallVector<Entry, 4> all;
  const Entry *next = other.entries.begin();
  for (Entry &entry : entries) {
    for (; next != other.entries.end() && next->isBefore(entry); ++next)
      all.push_back(*next);
    if (next != other.entries.end() && next->isSame(entry)) {
      entry.state.age = std::min(entry.state.age, next->state.age);
      entry.state.greatestAge = std::max(entry.state.greatestAge, next->state.greatestAge);
      entry.state.mayBeFinished |= next->state.mayBeFinished;
      ++next;
    }
    all.push_back(std::move(entry));
  }
  all.append(next, other.entries.end());
  entries = std::move(all);
  return *this;
}

} // namespace hocket
