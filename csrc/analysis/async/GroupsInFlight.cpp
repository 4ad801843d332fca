//===- GroupsInFlight.cpp - Which asynchronous accesses are unfinished, and how old they are -------===//
#include "analysis/async/GroupsInFlight.h"

#include <algorithm>

namespace hocket {

void GroupsInFlight::add(Entries &entries, const std::pair<unsigned, When> &key, const State &state) {
  auto [entry, isNew] = entries.try_emplace(key, state);
  if (isNew)
    return;
  entry->second.age = std::min(entry->second.age, state.age);
  entry->second.mayBeFinished |= state.mayBeFinished;
}

void GroupsInFlight::addInstance(Entries &entries, const std::pair<unsigned, When> &key, const State &state) {
  auto [entry, isNew] = entries.try_emplace(key, state);
  if (isNew)
    return;
  entry->second.age = std::min(entry->second.age, state.age);
  entry->second.mayBeFinished &= state.mayBeFinished;
}

template <typename Change>
void GroupsInFlight::remap(Change change) {
  Entries changed;
  for (const auto &[key, state] : entries) {
    std::pair<unsigned, When> next = key;
    change(next.second);
    addInstance(changed, next, state);
  }
  entries = std::move(changed);
}

void GroupsInFlight::enterLoop() {
  remap([](When &when) { when.push_back({.isBefore = true, .iterations = 0}); });
}

void GroupsInFlight::nextIteration() {
  remap([](When &when) { when.back().iterations = std::min<uint8_t>(when.back().iterations + 1, kFar); });
}

void GroupsInFlight::leaveLoop() {
  remap([](When &when) { when.pop_back(); });
}

GroupsInFlight &GroupsInFlight::operator|=(const GroupsInFlight &other) {
  for (const auto &[key, state] : other.entries)
    add(entries, key, state);
  return *this;
}

} // namespace hocket
