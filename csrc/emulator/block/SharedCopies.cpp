//===- SharedCopies.cpp - Asynchronous copies from global to shared memory --------------------------===//
//
// AMD's loads to shared memory take the destination from the wave, not from its lanes: lane i writes i times its width
// behind it, whichever lanes take part. The lanes meet, and one of them acts for all.
//
// "AMD Instinct MI300" and "CDNA4" ISA guides, "Memory Buffer Load to LDS", "GLOBAL_LOAD_LDS_DWORD".
//
//===------------------------------------------------------------------------------===//
#include "emulator/block/BlockRunner.h"

#include <bit>

namespace hocket::emulator {

void BlockRunner::copyToShared(Lane &lane, const std::byte *source, uint64_t place, uint32_t site) {
  lane.copySource = source;
  lane.copyPlace = place;
  uint64_t group = converge(lane, site);
  if (!group)
    return;
  AsyncCopy copy = {.destination = checkedDestination(lane, group, site),
                    .bytes = program.sites[site].bytes,
                    .site = site,
                    .lanes = group};
  const Lane *lanesOfWarp = &lanes[lane.warp * program.warpSize()];
  copy.forEachLane([&](unsigned i, uint64_t destination) {
    copy.source[i] = lanesOfWarp[i].copySource;
    if (!lane.moment)
      return;
    if (auto conflict = shadow->beginCopy({destination, copy.bytes}, *lane.moment, {lane.warp, i, site}))
      failInRace(lane, lanesOfWarp[i].thread, site, *conflict);
  });
  copies[lane.warp].step();
  copies[lane.warp].issue(copy);
  part(lane, group);
}

/// The offset where lane 0 writes, or would. Fails where the hardware would do something else than was meant.
uint64_t BlockRunner::checkedDestination(Lane &leader, uint64_t group, uint32_t number) {
  const Site &site = program.sites[number];
  Lane *lanesOfWarp = &lanes[leader.warp * program.warpSize()];
  auto first = unsigned(std::countr_zero(group));
  uint64_t place = lanesOfWarp[first].copyPlace;
  auto failAs = [&](FailureKind kind, uint64_t lane, uint64_t offset) {
    fail(leader, BlockFault{.kind = kind, .site = number, .thread = lanesOfWarp[lane].thread, .address = offset});
  };
  for (uint64_t left = group; left; left &= left - 1) {
    auto lane = unsigned(std::countr_zero(left));
    if (lanesOfWarp[lane].copyPlace != place)
      failAs(FailureKind::NotUniform, lane, lanesOfWarp[lane].copyPlace);
  }
  if (place % site.alignment != 0)
    failAs(FailureKind::Misaligned, first, place);
  for (uint64_t left = group; left; left &= left - 1) {
    auto lane = unsigned(std::countr_zero(left));
    uint64_t begin = place + lane * site.bytes;
    if (begin > program.sharedBytes || begin + site.bytes > program.sharedBytes)
      failAs(FailureKind::OutOfBounds, lane, begin);
  }
  return place;
}

void BlockRunner::commitCopies(Lane &lane, uint32_t site) {
  if (copies.empty())
    return;
  if (uint64_t group = converge(lane, site)) {
    copies[lane.warp].step();
    copies[lane.warp].commit();
    part(lane, group);
  }
}

void BlockRunner::waitForCopies(Lane &lane, uint32_t outstanding, uint32_t site) {
  if (copies.empty())
    return;
  uint64_t group = converge(lane, site);
  if (!group)
    return;
  copies[lane.warp].step();
  for (const AsyncCopy &copy : copies[lane.warp].wait(outstanding))
    if (lane.moment)
      copy.forEachLane([&](unsigned i, uint64_t place) {
        shadow->endCopy({place, copy.bytes}, lane.moment.get(), {lane.warp, i, copy.site});
      });
  part(lane, group);
}

} // namespace hocket::emulator
