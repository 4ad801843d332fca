//===- CopyQueue.cpp - Outstanding asynchronous copies of a warp -------------------------------===//
#include "emulator/block/CopyQueue.h"

#include <cstring>

namespace hocket::emulator {

static constexpr size_t kWidestCopy = 16;

static void writePart(std::byte *to, const std::byte *from, size_t bytes) {
  if (from && bytes == kWidestCopy)
    std::memcpy(to, from, kWidestCopy); // with a constant size, the compiler emits no call of memcpy
  else if (from)
    std::memcpy(to, from, bytes);
  else
    std::memset(to, 0, bytes);
}

void CopyQueue::issue(const AsyncCopy &copy) {
  if (unused.empty())
    unused.emplace_back();
  inFlight.splice(inFlight.end(), unused, unused.begin());
  InFlight &issued = inFlight.back();
  issued.copy = copy;
  issued.number = numIssued++;
  issued.group = openGroup;
  issued.stepsLeft = 0;
  issued.written = false;
  // Until the copy completes, a read of its destination returns all-ones bytes: NaN in every float format.
  std::byte poison[kWidestCopy];
  std::memset(poison, 0xff, sizeof(poison));
  copy.forEachLane([&](unsigned, uint64_t place) { writePart(shared + place, poison, copy.bytes); });
  if (completion == Completion::Random)
    issued.stepsLeft = uint32_t(random() % (kMaxCopySteps + 1));
  if (completion == Completion::Now || (completion == Completion::Random && issued.stepsLeft == 0))
    write(issued);
}

void CopyQueue::commit() { ++openGroup; }

template <typename Predicate>
const std::list<CopyQueue::InFlight> &CopyQueue::waitWhile(Predicate has) {
  unused.splice(unused.begin(), arrived);
  auto end = inFlight.begin();
  for (; end != inFlight.end() && has(*end); ++end)
    if (!end->written)
      write(*end);
  arrived.splice(arrived.begin(), inFlight, inFlight.begin(), end);
  return arrived;
}

const std::list<CopyQueue::InFlight> &CopyQueue::wait(uint32_t outstanding) {
  return waitWhile([&](const InFlight &copy) { return copy.group + outstanding < openGroup; });
}

const std::list<CopyQueue::InFlight> &CopyQueue::waitForFirst(uint64_t count) {
  return waitWhile([&](const InFlight &copy) { return copy.number < count; });
}

uint64_t CopyQueue::track(Epoch then) {
  for (InFlight &copy : inFlight)
    if (!copy.copy.tracked)
      copy.copy.tracked = then;
  return numIssued;
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
  unused.splice(unused.begin(), inFlight);
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
