//===- SharedMemory.cpp - Shared memory of a block, with its checkers --------------------------===//
#include "emulator/block/SharedMemory.h"

#include "layout/SharedAlignment.h"
#include "target/Mbarriers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

namespace hocket::emulator {

static std::byte *alignedIn(std::vector<std::byte> &storage) {
  return reinterpret_cast<std::byte *>(llvm::alignTo(reinterpret_cast<uintptr_t>(storage.data()), kSharedAlignment));
}

static bool isMbarrier(const Site &site) {
  return site.kind == host_abi::SiteKind::MbarrierSet || site.kind == host_abi::SiteKind::MbarrierUse;
}

static bool writes(const Site &site) {
  return site.kind == host_abi::SiteKind::SharedWrite || site.kind == host_abi::SiteKind::SharedAtomic;
}

SharedMemory::SharedMemory(const EmulatedLaunch &launch, const LaneRunner &lanes, BlockFaults &faults, SpinWatch &spins)
    : program(launch.program), faults(faults), size(launch.program.sharedBytes),
      shadowOffset(host_abi::sharedShadowOffset(size)), hasShadow(launch.program.tracksUndefined),
      storage((hasShadow ? 2 : 1) * shadowOffset + kSharedAlignment), aligned(alignedIn(storage)),
      sharedRaces(launch.program, launch.looksForRaces(), aligned, faults),
      remoteAccesses(launch.program, lanes, faults, sharedRaces.warpOrder()), isCluster(launch.program.numCtas > 1),
      hasMbarriers(std::ranges::any_of(launch.program.sites, isMbarrier)), spins(spins) {
  bool accessesShared =
      std::ranges::any_of(launch.program.sites, [](const Site &site) { return host_abi::isShared(site.kind); });
  if (launch.options.countBanks && accessesShared)
    banks.emplace(launch.program);
}

void SharedMemory::begin() {
  // All-ones bytes are NaN in every float format and -1 as an index, so that reads of uninitialized memory become
  // visible.
  std::memset(aligned, 0xff, size);
  if (hasShadow)
    std::memset(aligned + shadowOffset, 0xff, size);
  sharedRaces.begin();
  remoteAccesses.begin();
  mbarriers.clear();
}

void SharedMemory::access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site) {
  if (banks)
    banks->access(lane.warp, lane.lane, site, offset);
  if (spins.isOn()) [[unlikely]]
    spins.access(lane, site, aligned + offset);
  if (!mbarriers.empty() && writes(program.sites[site]))
    failAtMbarrier(lane, lane.thread, offset, program.sites[site].bytes, site);
  remoteAccesses.access(lane, offset, site);
  sharedRaces.access(lane, offset, stored, site);
}

void SharedMemory::failAtMbarrier(Lane &lane, uint32_t thread, uint64_t offset, uint64_t bytes, uint32_t site) {
  auto next = mbarriers.lower_bound(offset < kMbarrierBytes ? 0 : offset - kMbarrierBytes + 1);
  if (next == mbarriers.end() || next->first >= offset + bytes)
    return;
  faults.fail(lane, {.kind = FailureKind::Mbarrier,
                     .site = site,
                     .thread = thread,
                     .address = next->first,
                     .mbarrier = {.mistake = MbarrierMistake::Overwritten, .otherSite = next->second}});
}

void SharedMemory::accessEach(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets,
                              const std::byte *stored) {
  for (uint32_t i = 0; i < row.count; ++i) {
    uint32_t number = row.sites()[i];
    const Site &site = program.sites[number];
    if (site.bytes > size || offsets[i] > size - site.bytes || offsets[i] % site.alignment != 0)
      faults.failAt(lane, number, offsets[i]);
    access(lane, offsets[i], stored ? stored + i * host_abi::kMaxStoreBytes : nullptr, number);
  }
}

void SharedMemory::define(uint64_t offset, uint32_t bytes, const std::byte *shadow) {
  if (hasShadow && shadow)
    std::memcpy(aligned + shadowOffset + offset, shadow, bytes);
  else if (hasShadow)
    std::memset(aligned + shadowOffset + offset, 0, bytes);
}

void SharedMemory::end(BankTotals &totals) {
  if (banks)
    banks->endBlock(totals);
}

} // namespace hocket::emulator
