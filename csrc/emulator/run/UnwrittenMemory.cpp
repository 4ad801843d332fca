//===- UnwrittenMemory.cpp - Host arrays with uninitialized contents ---------------------------===//
#include "emulator/run/UnwrittenMemory.h"

#include "support/ForkMutex.h"

#include <cstring>
#include <map>

namespace hocket::emulator {

namespace {

/// All UnwrittenMemory objects of the process, by their end addresses.
struct Registry {
  ForkMutex mutex;
  std::map<uintptr_t, std::pair<uintptr_t, std::weak_ptr<UnwrittenMemory>>> byEnd;
};

} // namespace

static Registry &registry = *new Registry; // never destroyed, because arrays may outlive static objects

/// Returns the initial contents of a word, which are the same in each run and unlikely to be written by a program.
static uint64_t patternOf(uint64_t word) {
  uint64_t mixed = (word + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return mixed ^ mixed >> 31;
}

UnwrittenMemory::UnwrittenMemory(size_t bytes)
    : bytes(bytes), contents(bytes / sizeof(Chunk) + 1), shadow(contents.size()) {
  std::memset(shadow.data(), 0xff, shadow.size() * sizeof(Chunk));
  uint64_t word = 0;
  for (Chunk &chunk : contents)
    for (uint64_t &content : chunk.words)
      content = patternOf(word++);
}

std::shared_ptr<UnwrittenMemory> UnwrittenMemory::make(size_t bytes) {
  std::shared_ptr<UnwrittenMemory> memory(new UnwrittenMemory(bytes));
  auto begin = reinterpret_cast<uintptr_t>(memory->begin());
  std::lock_guard lock(registry.mutex);
  registry.byEnd[begin + bytes] = {begin, memory};
  return memory;
}

UnwrittenMemory::~UnwrittenMemory() {
  std::lock_guard lock(registry.mutex);
  registry.byEnd.erase(reinterpret_cast<uintptr_t>(begin()) + bytes);
}

std::shared_ptr<UnwrittenMemory> UnwrittenMemory::find(uintptr_t address) {
  std::lock_guard lock(registry.mutex);
  auto found = registry.byEnd.upper_bound(address);
  return found != registry.byEnd.end() && found->second.first <= address ? found->second.second.lock() : nullptr;
}

void UnwrittenMemory::update() {
  std::lock_guard lock(mutex);
  uint64_t word = 0;
  for (size_t i = 0; i < contents.size(); ++i)
    for (size_t j = 0; j < std::size(contents[i].words); ++j, ++word)
      if (uint64_t &bits = shadow[i].words[j]; bits && ((contents[i].words[j] ^ patternOf(word)) & bits))
        bits = 0;
}

} // namespace hocket::emulator
