//===- CopyQueue.cpp - Copies to shared memory that a warp has not waited for ------------------===//
#include "emulator/block/CopyQueue.h"

#include <cstring>

namespace hocket::emulator {

static constexpr size_t kWidestCopy = 16;

/// A copy that completes at random takes up to this many steps, or until it is waited for.
static constexpr uint32_t kMaxSteps = 12;

static void writePart(std::byte *to, const std::byte *from, size_t bytes) {
  if (from && bytes == kWidestCopy)
    std::memcpy(to, from, kWidestCopy); // the usual one, without a call
  else if (from)
    std::memcpy(to, from, bytes);
  else
    std::memset(to, 0, bytes);
}

void CopyQueue::issue(const AsyncCopy &copy) {
  InFlight &issued = inFlight.emplace_back(InFlight{.copy = copy, .number = numIssued++, .group = openGroup});
  // What is read before it has arrived is NaN in every float format.
  std::byte poison[kWidestCopy];
  std::memset(poison, 0xff, sizeof(poison));
  copy.forEachLane([&](unsigned, uint64_t place) { writePart(shared + place, poison, copy.bytes); });
  if (completion == Completion::Random)
    issued.stepsLeft = uint32_t(random() % (kMaxSteps + 1));
  if (completion == Completion::Now || (completion == Completion::Random && issued.stepsLeft == 0))
    write(issued);
}

void CopyQueue::commit() { ++openGroup; }

std::vector<AsyncCopy> CopyQueue::wait(uint32_t outstanding) {
  std::vector<AsyncCopy> arrived;
  arrived.reserve(inFlight.size());
  while (!inFlight.empty() && inFlight.front().group + outstanding < openGroup)
    takeFirst(arrived);
  return arrived;
}

uint64_t CopyQueue::track(Epoch then) {
  for (InFlight &copy : inFlight)
    if (!copy.copy.tracked)
      copy.copy.tracked = then;
  return numIssued;
}

std::vector<AsyncCopy> CopyQueue::waitForFirst(uint64_t count) {
  std::vector<AsyncCopy> arrived;
  while (!inFlight.empty() && inFlight.front().number < count)
    takeFirst(arrived);
  return arrived;
}

void CopyQueue::takeFirst(std::vector<AsyncCopy> &arrived) {
  if (!inFlight.front().written)
    write(inFlight.front());
  arrived.push_back(inFlight.front().copy);
  inFlight.pop_front();
}

void CopyQueue::step() {
  if (completion != Completion::Random)
    return;
  for (InFlight &copy : inFlight)
    if (!copy.written && --copy.stepsLeft == 0)
      write(copy);
}

std::vector<AsyncCopy> CopyQueue::drop() {
  std::vector<AsyncCopy> dropped;
  for (const InFlight &copy : inFlight)
    dropped.push_back(copy.copy);
  inFlight.clear();
  openGroup = numIssued = 0;
  return dropped;
}

void CopyQueue::write(InFlight &copy) {
  copy.written = true;
  copy.copy.forEachLane(
      [&](unsigned lane, uint64_t place) { writePart(shared + place, copy.copy.parts[lane].source, copy.copy.bytes); });
}

CopyQueue &CopyQueues::on(host_abi::CopyCounter counter) {
  while (queues.size() <= size_t(counter)) {
    queues.emplace_back(shared, completion);
    seedQueue(queues.size() - 1);
  }
  return queues[size_t(counter)];
}

void CopyQueues::step() {
  for (CopyQueue &queue : queues)
    queue.step();
}

std::vector<AsyncCopy> CopyQueues::drop() {
  std::vector<AsyncCopy> dropped;
  for (CopyQueue &queue : queues)
    for (const AsyncCopy &copy : queue.drop())
      dropped.push_back(copy);
  return dropped;
}

void CopyQueues::seed(uint64_t value) {
  firstSeed = value;
  for (size_t counter = 0; counter < queues.size(); ++counter)
    seedQueue(counter);
}

} // namespace hocket::emulator
