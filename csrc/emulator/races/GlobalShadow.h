//===- GlobalShadow.h - Shadow of global memory: accessors of each granule ------------------===//
//
// Memory has a shadow if accesses of different warps may conflict in this memory. The shadow stores three words for
// each granule: the last write, the reads since that write, and the atomic accesses since that write. The size of a
// granule is the width of the kernel's narrowest access of this memory (1 to 16 bytes). Each access therefore covers
// whole granules, and races are found exactly to the byte. Arrays that overlap (views of one buffer) share one region.
// Examples:
//
//   x: read only                        no shadow
//   hist: atomic accesses only          no shadow: atomic accesses do not conflict
//   out: stored as vector<4xf32>        8 bytes of shadow per 16 bytes, for writes only
//
// A shadow is reserved address space: the operating system maps a page of zeros at the first access of the page.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_GLOBALSHADOW_H
#define HOCKET_EMULATOR_RACES_GLOBALSHADOW_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

#include <array>
#include <atomic>
#include <memory>

namespace hocket::emulator {

inline constexpr size_t kAccessKinds = 3;

AccessKind accessKindOf(const Site &site);

/// A 64-bit word of the shadow of a granule: one access, or the number of a set of accesses (BlockSets.h).
class AccessWord {
public:
  static constexpr uint32_t kMaxSite = (1u << 18) - 1;

  AccessWord() = default;
  explicit AccessWord(uint64_t bits) : bits(bits) {}
  AccessWord(uint32_t segment, uint32_t site, uint32_t thread)
      : AccessWord(kPresent | uint64_t(segment) << 28 | uint64_t(site < kMaxSite ? site : kMaxSite) << 10 | thread) {}
  /// Returns the word for the set with number `set`. `thread`: thread of the set's last added member.
  static AccessWord ofSet(uint32_t set, uint32_t thread) {
    return AccessWord(kPresent | kIsSet | uint64_t(set) << 28 | thread);
  }

  bool isPresent() const { return bits != 0; }
  bool isSet() const { return bits & kIsSet; }
  uint32_t segment() const { return uint32_t(bits >> 28); }
  uint32_t set() const { return uint32_t(bits >> 28); }
  uint32_t site() const { return uint32_t(bits >> 10) & kMaxSite; }
  uint32_t thread() const { return uint32_t(bits) & 1023; }
  uint64_t raw() const { return bits; }
  /// Returns the word with the bits of the thread cleared.
  uint64_t withoutThread() const { return bits & ~uint64_t(1023); }

private:
  static constexpr uint64_t kPresent = uint64_t(1) << 62, kIsSet = uint64_t(1) << 63;
  uint64_t bits = 0;
};

class ShadowRegion {
public:
  using Word = std::atomic<uint64_t>;

  /// Reserves shadows for the access kinds whose bits are set in `kinds`. Throws std::bad_alloc.
  ShadowRegion(uintptr_t begin, size_t bytes, unsigned granuleBytes, unsigned kinds);
  ~ShadowRegion();
  ShadowRegion(const ShadowRegion &) = delete;
  ShadowRegion &operator=(const ShadowRegion &) = delete;

  size_t granuleBytes() const { return size_t(1) << shift; }
  uintptr_t addressOf(size_t granule) const { return begin + (granule << shift); }
  size_t granuleOf(uintptr_t address) const { return (address - begin) >> shift; }
  /// Returns the words for accesses of one kind; null if the kernel makes no access of this kind.
  Word *words(AccessKind kind) const { return planes[size_t(kind)]; }

private:
  uintptr_t begin;
  unsigned shift;
  size_t planeBytes;
  std::array<Word *, kAccessKinds> planes = {};
};

/// The shadows of one launch.
class GlobalShadow {
public:
  explicit GlobalShadow(const EmulatedLaunch &launch);

  /// Returns the region of the array that is argument `number`; null if accesses of different warps cannot conflict in
  /// this array.
  ShadowRegion *regionOf(size_t number) const { return regionOfArray[number]; }
  bool isEmpty() const { return regions.empty(); }

private:
  std::vector<std::unique_ptr<ShadowRegion>> regions;
  std::vector<ShadowRegion *> regionOfArray;
};

} // namespace hocket::emulator

#endif
