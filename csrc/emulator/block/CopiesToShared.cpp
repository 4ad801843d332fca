//===- CopiesToShared.cpp - Asynchronous copies from global to shared memory -------------------===//
#include "emulator/block/CopiesToShared.h"

#include <algorithm>

namespace hocket::emulator {

using host_abi::CopyCounter;

CopiesToShared::CopiesToShared(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults,
                               SharedMemory &shared)
    : launch(launch), program(launch.program), seed(launch.options.seed), lanes(lanes), faults(faults), shared(shared),
      races(shared.races()) {
  auto copies = [](const Site &site) { return site.kind == host_abi::SiteKind::SharedCopy; };
  if (std::ranges::none_of(program.sites, copies))
    return;
  queues.assign(lanes.warpCount(), CopyQueues(shared.bytes(), launch.options.completion));
  parts.resize(program.blockSize());
}

void CopiesToShared::begin(uint64_t block) {
  for (size_t warp = 0; warp < queues.size(); ++warp) {
    for (const AsyncCopy &copy : queues[warp].drop())
      copy.forEachLane([&](unsigned, uint64_t offset) { races.dropCopy(offset, copy.bytes); });
    queues[warp].seed(seed * 0x9e3779b9 + block * queues.size() + warp);
  }
}

void CopiesToShared::copy(Lane &lane, CopyCounter counter, const std::byte *source, uint64_t destination,
                          uint32_t site) {
  partOf(lane.warp, lane.lane) = {source, destination};
  LaneMask group = lanes.converge(lane, site);
  if (!group)
    return;
  AsyncCopy copy = {.destination = checkedDestination(lane, group, site),
                    .bytes = program.sites[site].bytes,
                    .site = site,
                    .lanes = group};
  copy.forEachLane([&](unsigned copier, uint64_t offset) {
    copy.source[copier] = partOf(lane.warp, copier).source;
    races.beginCopy(lane, copier, offset, copy.bytes, site);
    shared.define(offset, copy.bytes, launch.shadowOf(copy.source[copier]));
  });
  queues[lane.warp].step();
  queues[lane.warp].on(counter).issue(copy);
  lanes.part(lane, group);
}

uint64_t CopiesToShared::checkedDestination(Lane &leader, LaneMask group, uint32_t number) {
  const Site &site = program.sites[number];
  unsigned first = firstOf(group);
  uint64_t destination = partOf(leader.warp, first).destination;
  auto failAs = [&](FailureKind kind, unsigned lane, uint64_t offset) {
    faults.fail(leader,
                {.kind = kind, .site = number, .thread = lanes.lane(leader.warp, lane).thread, .address = offset});
  };
  forEachLane(group, [&](unsigned lane) {
    if (uint64_t named = partOf(leader.warp, lane).destination; named != destination)
      failAs(FailureKind::NotUniform, lane, named);
  });
  if (destination % site.alignment != 0)
    failAs(FailureKind::Misaligned, first, destination);
  forEachLane(group, [&](unsigned lane) {
    uint64_t begin = destination + lane * site.bytes;
    if (begin > program.sharedBytes || begin + site.bytes > program.sharedBytes)
      failAs(FailureKind::OutOfBounds, lane, begin);
  });
  return destination;
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
  queues[lane.warp].step();
  for (const AsyncCopy &copy : queues[lane.warp].on(counter).wait(outstanding))
    copy.forEachLane(
        [&](unsigned copier, uint64_t offset) { races.endCopy(lane, copier, offset, copy.bytes, copy.site); });
  lanes.part(lane, group);
}

} // namespace hocket::emulator
