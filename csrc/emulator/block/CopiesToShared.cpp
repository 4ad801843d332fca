//===- CopiesToShared.cpp - Asynchronous copies from global to shared memory -------------------===//
#include "emulator/block/CopiesToShared.h"

#include <algorithm>

namespace hocket::emulator {

using host_abi::AfterCopy;
using host_abi::CopyCounter;

CopiesToShared::CopiesToShared(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults,
                               SharedMemory &shared)
    : launch(launch), program(launch.program), seed(launch.options.seed), lanes(lanes), faults(faults), shared(shared),
      races(shared.races()) {
  auto copies = [](const Site &site) { return site.kind == host_abi::SiteKind::SharedCopy; };
  if (std::ranges::none_of(program.sites, copies))
    return;
  queues.assign(lanes.warpCount(), CopyQueues(shared.bytes(), launch.options.completion));
  wanted.resize(lanes.warpCount());
  rows.resize(lanes.warpCount());
  counts.resize(program.blockSize());
}

void CopiesToShared::begin(uint64_t block) {
  std::ranges::fill(counts, 0);
  for (size_t warp = 0; warp < queues.size(); ++warp) {
    wanted[warp].clear();
    for (const AsyncCopy &copy : queues[warp].drop())
      copy.forEachLane([&](unsigned, uint64_t offset) { races.dropCopy(offset, copy.bytes); });
    queues[warp].seed(seed * 0x9e3779b9 + block * queues.size() + warp);
  }
}

void CopiesToShared::copy(Lane &lane, CopyCounter counter, Request request, AfterCopy after) {
  std::vector<Requests> &row = rows[lane.warp];
  uint32_t &count = countOf(lane.warp, lane.lane);
  if (count == row.size())
    row.emplace_back();
  row[count++][lane.lane] = request;
  if (after == AfterCopy::Copy)
    return;
  if (LaneMask group = lanes.converge(lane, request.site))
    startRow(lane, group, counter, after);
}

void CopiesToShared::startRow(Lane &leader, LaneMask group, CopyCounter counter, AfterCopy after) {
  const std::vector<Requests> &row = rows[leader.warp];
  for (uint32_t number = 0; LaneMask takers = takersOf(leader, group, number); ++number)
    start(leader, counter, gatherParts(leader, takers, row[number]));
  uint32_t *brought = &countOf(leader.warp, 0);
  for (unsigned lane = 0; lane < lanes.warpSize; ++lane)
    brought[lane] = group >> lane & 1 ? 0 : brought[lane];
  if (after == AfterCopy::Commit) {
    queues[leader.warp].step();
    queues[leader.warp].on(counter).commit();
  }
  lanes.part(leader, group);
}

LaneMask CopiesToShared::takersOf(const Lane &leader, LaneMask group, uint32_t number) {
  const uint32_t *brought = &countOf(leader.warp, 0);
  LaneMask takers = 0;
  for (unsigned lane = 0; lane < lanes.warpSize; ++lane)
    takers |= LaneMask(number < brought[lane]) << lane;
  return takers & group;
}

void CopiesToShared::start(Lane &leader, CopyCounter counter, const AsyncCopy &copy) {
  if (shared.hasMbarriersNow())
    copy.forEachLane([&](unsigned copier, uint64_t offset) {
      shared.checkMbarriers(leader, leader.warp * lanes.warpSize + copier, offset, copy.bytes, copy.site);
    });
  races.beginCopy(leader, copy);
  if (shared.shadows())
    copy.forEachLane([&](unsigned copier, uint64_t offset) {
      shared.define(offset, copy.bytes, launch.shadowOf(copy.parts[copier].source));
    });
  queues[leader.warp].step();
  queues[leader.warp].on(counter).issue(copy);
}

const AsyncCopy &CopiesToShared::gatherParts(Lane &leader, LaneMask group, const Requests &requests) {
  unsigned first = firstOf(group);
  uint32_t number = requests[first].site;
  const Site &site = program.sites[number];
  gathered.bytes = site.bytes;
  gathered.site = number;
  gathered.lanes = group;
  bool apart = requests[first].apart;
  uint64_t common = requests[first].destination;
  auto failAs = [&](FailureKind kind, unsigned lane, uint64_t offset) {
    faults.fail(leader,
                {.kind = kind, .site = number, .thread = lanes.lane(leader.warp, lane).thread, .address = offset});
  };
  forEachLane(group, [&](unsigned lane) {
    AsyncCopy::Part &part = gathered.parts[lane] = {requests[lane].source, requests[lane].destination};
    if (!apart && part.destination != common)
      failAs(FailureKind::NotUniform, lane, part.destination);
    if (part.destination % site.alignment != 0)
      failAs(FailureKind::Misaligned, lane, part.destination);
    if (!apart)
      part.destination += lane * site.bytes;
    if (part.destination > program.sharedBytes || part.destination + site.bytes > program.sharedBytes)
      failAs(FailureKind::OutOfBounds, lane, part.destination);
  });
  return gathered;
}

void CopiesToShared::commit(Lane &lane, CopyCounter counter, uint32_t site) {
  if (queues.empty())
    return;
  if (LaneMask group = lanes.converge(lane, site)) {
    queues[lane.warp].step();
    queues[lane.warp].on(counter).commit();
    lanes.part(lane, group);
  }
}

void CopiesToShared::wait(Lane &lane, CopyCounter counter, uint32_t outstanding, uint32_t site) {
  if (queues.empty())
    return;
  LaneMask group = lanes.converge(lane, site);
  if (!group)
    return;
  finish(lane, {counter, outstanding});
  lanes.part(lane, group);
}

void CopiesToShared::waitAtBarrier(const Lane &lane, CopyCounter counter, uint32_t outstanding) {
  if (queues.empty())
    return;
  std::vector<Groups> &groups = wanted[lane.warp];
  if (std::ranges::find(groups, Groups{counter, outstanding}) == groups.end())
    groups.push_back({counter, outstanding});
}

void CopiesToShared::comeToBarrier(const Lane &lane) {
  if (queues.empty())
    return;
  for (Groups groups : wanted[lane.warp])
    finish(lane, groups);
  wanted[lane.warp].clear();
}

void CopiesToShared::finish(const Lane &lane, Groups groups) {
  queues[lane.warp].step();
  for (const CopyQueue::InFlight &arrived : queues[lane.warp].on(groups.counter).wait(groups.outstanding))
    races.endCopy(lane, arrived.copy);
}

uint64_t CopiesToShared::track(uint32_t warp, CopyCounter counter, Epoch then) {
  return queues.empty() ? 0 : queues[warp].on(counter).track(then);
}

void CopiesToShared::finishFirst(uint32_t warp, CopyCounter counter, uint64_t count) {
  if (queues.empty())
    return;
  for (const CopyQueue::InFlight &arrived : queues[warp].on(counter).waitForFirst(count)) {
    const AsyncCopy &copy = arrived.copy;
    copy.forEachLane([&](unsigned copier, uint64_t offset) {
      races.endCopyAt(*copy.tracked, warp, copier, offset, copy.bytes, copy.site);
    });
  }
}

} // namespace hocket::emulator
