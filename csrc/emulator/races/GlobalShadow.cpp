//===- GlobalShadow.cpp - Shadow of global memory: accessors of each granule ----------------===//
#include "emulator/races/GlobalShadow.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <sys/mman.h>

namespace hocket::emulator {

using host_abi::SiteKind;

static constexpr unsigned kMaxGranuleBytes = 16;

static bool accessesGlobal(const Site &site) {
  return site.kind == SiteKind::Read || site.kind == SiteKind::Write || site.kind == SiteKind::Atomic;
}

AccessKind accessKindOf(const Site &site) {
  if (site.kind == SiteKind::Read)
    return AccessKind::Read;
  return site.kind == SiteKind::Atomic && !site.blockScope ? AccessKind::Atomic : AccessKind::Write;
}

ShadowRegion::ShadowRegion(uintptr_t first, size_t bytes, unsigned granuleBytes, unsigned kinds)
    : begin(first & ~uintptr_t(kMaxGranuleBytes - 1)), shift(unsigned(std::countr_zero(granuleBytes))),
      planeBytes((((first - begin + bytes - 1) >> shift) + 1) * sizeof(Word)) {
  for (size_t kind = 0; kind < kAccessKinds; ++kind) {
    if (!(kinds >> kind & 1))
      continue;
    void *memory =
        mmap(nullptr, planeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    // With huge pages, which not every system supports, one page fault maps 2 MiB.
    madvise(memory, planeBytes, MADV_HUGEPAGE);
    planes[kind] = static_cast<Word *>(memory);
  }
}

ShadowRegion::~ShadowRegion() {
  for (Word *plane : planes)
    if (plane)
      munmap(plane, planeBytes);
}

namespace {

/// A range of memory, and the kinds of accesses that the kernel may make to this range.
struct Use {
  uintptr_t begin = 0, end = 0;
  unsigned kinds = 0; ///< bit n: accesses of AccessKind n
  unsigned granuleBytes = kMaxGranuleBytes;
  std::vector<size_t> arrays;

  void add(const Site &site) {
    kinds |= 1u << unsigned(accessKindOf(site));
    granuleBytes = std::min(granuleBytes, 1u << std::countr_zero(site.bytes | site.alignment));
  }
  bool mayConflict() const {
    auto has = [&](AccessKind kind) { return kinds >> unsigned(kind) & 1; };
    return has(AccessKind::Write) || (has(AccessKind::Atomic) && has(AccessKind::Read));
  }
};

/// Returns one Use for each array that is not empty, in ascending order of addresses. Overlapping arrays share one Use.
std::vector<Use> usesOf(const EmulatedLaunch &launch) {
  std::vector<Use> uses;
  for (size_t i = 0; i < launch.arrays.size(); ++i) {
    const ArrayRange &array = launch.arrays[i];
    if (array.bytes == 0)
      continue;
    Use use = {.begin = array.begin, .end = array.begin + array.bytes, .arrays = {i}};
    for (const Site &site : launch.program.sites)
      if (accessesGlobal(site) && (site.argument < 0 || size_t(site.argument) == i))
        use.add(site);
    uses.push_back(std::move(use));
  }
  std::ranges::sort(uses, {}, &Use::begin);
  std::vector<Use> merged;
  for (Use &use : uses) {
    if (merged.empty() || use.begin >= merged.back().end) {
      merged.push_back(std::move(use));
      continue;
    }
    Use &into = merged.back();
    into.end = std::max(into.end, use.end);
    into.kinds |= use.kinds;
    into.granuleBytes = std::min(into.granuleBytes, use.granuleBytes);
    into.arrays.insert(into.arrays.end(), use.arrays.begin(), use.arrays.end());
  }
  return merged;
}

} // namespace

GlobalShadow::GlobalShadow(const EmulatedLaunch &launch) : regionOfArray(launch.arrays.size()) {
  for (const Use &use : usesOf(launch)) {
    if (!use.mayConflict())
      continue;
    regions.push_back(std::make_unique<ShadowRegion>(use.begin, use.end - use.begin, use.granuleBytes, use.kinds));
    for (size_t array : use.arrays)
      regionOfArray[array] = regions.back().get();
  }
}

} // namespace hocket::emulator
