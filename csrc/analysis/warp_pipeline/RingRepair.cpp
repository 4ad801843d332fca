//===- RingRepair.cpp - Number of slots that a ring buffer of a warp pipeline needs -===//
#include "analysis/warp_pipeline/RingRepair.h"

using namespace mlir;

namespace hocket {

/// Maximum number of additional slots, and of additional iterations to write ahead, that the search tries. A kernel for
/// which the search finds nothing within these limits must be repaired in another way.
static constexpr int64_t kMoreSlots = 4, kFurtherAhead = 3;

/// Collects the accesses of `buffer` in `ring`. Returns the number of slots of the buffer; 0 if the number is unknown.
/// If each access is of the whole buffer, the buffer counts as one slot.
static int64_t collectRing(const StageHazards &stages, Operation *buffer, SmallVectorImpl<StageAccess> &ring) {
  auto type = cast<hk::MemDescType>(buffer->getResult(0).getType());
  bool isOfOneSlot = type.getSlotRank() > 0 && type.getShape().front() == 1;
  for (const std::unique_ptr<StageAccess> &access : stages.getAccesses()) {
    auto isOfBuffer = [&](const MemoryRegion &region) { return region.getOwner() == buffer; };
    if (!llvm::any_of(access->regions, isOfBuffer))
      continue;
    StageAccess &added = ring.emplace_back(*access);
    if (isOfOneSlot)
      added.slot.reset();
    if (added.regions.size() > 1 || added.slot.has_value() != ring.front().slot.has_value())
      return 0;
    if (!added.slot)
      continue;
    int64_t slots = added.slot->getModulus();
    if (slots == 0 || slots != ring.front().slot->getModulus())
      return 0;
  }
  bool isRing = !ring.empty() && ring.front().slot;
  return ring.empty() ? 0 : isRing ? ring.front().slot->getModulus() : 1;
}

static bool areFarEnough(const WarpPipeline &pipeline, ArrayRef<StageAccess> ring) {
  for (size_t i = 0; i < ring.size(); ++i)
    for (size_t j = 0; j < ring.size(); ++j) {
      std::optional<AccessHazard> hazard = StageHazards::hazardBetween(pipeline, ring[i], ring[j], i < j);
      if (hazard && !hazard->inSchedule.canBeSettled())
        return false;
    }
  return true;
}

/// Returns the number of iterations by which a slot is written earlier than it is read. Returns nullopt if this number
/// is unknown, or differs between pairs of an access that writes and an access that only reads.
static std::optional<int64_t> iterationsAhead(ArrayRef<StageAccess> ring) {
  std::optional<int64_t> ahead;
  for (const StageAccess &writer : ring)
    for (const StageAccess &reader : ring) {
      if (!writer.writes() || reader.writes())
        continue;
      std::optional<int64_t> distance = RingIndex::iterationsAhead(*writer.slot, *reader.slot);
      if (!distance || (ahead && ahead != distance))
        return std::nullopt;
      ahead = distance;
    }
  return ahead;
}

/// True if every write is in a later stage of the iteration than every read.
static bool areWritersLast(ArrayRef<StageAccess> ring) {
  return llvm::all_of(ring, [&](const StageAccess &writer) {
    return !writer.writes() || llvm::all_of(ring, [&](const StageAccess &reader) {
      return reader.writes() || reader.stage < writer.stage;
    });
  });
}

/// True if every slot is read before it is overwritten, which happens `slots` iterations after its write.
static bool isKept(ArrayRef<StageAccess> ring, int64_t slots, std::optional<int64_t> ahead) {
  if (!ahead)
    return true;
  return *ahead >= 0 && (*ahead < slots || (*ahead == slots && areWritersLast(ring)));
}

std::optional<RingRepair> findRingRepair(const WarpPipeline &pipeline, const StageHazards &stages, Operation *buffer) {
  SmallVector<StageAccess, 0> ring;
  int64_t now = collectRing(stages, buffer, ring);
  if (!pipeline.loop || now == 0)
    return std::nullopt;
  for (StageAccess &access : ring)
    if (!access.slot)
      access.slot = RingIndex::ofIteration();
  // If the writes to a slot follow the last read of the slot in the same iteration, the written data are for the next
  // iteration that uses the slot.
  if (areWritersLast(ring) && iterationsAhead(ring) == 0)
    for (StageAccess &access : ring)
      if (access.writes())
        access.slot = access.slot->withSlots(now, now);
  for (int64_t slots = now; slots <= now + kMoreSlots; ++slots)
    for (int64_t further = 0; further <= kFurtherAhead; ++further) {
      SmallVector<StageAccess, 0> tried(ring);
      for (StageAccess &access : tried)
        access.slot = access.slot->withSlots(slots, access.writes() ? further : 0);
      std::optional<int64_t> ahead = iterationsAhead(tried);
      if (isKept(tried, slots, ahead) && areFarEnough(pipeline, tried))
        return RingRepair{slots, now, further, ahead};
    }
  return std::nullopt;
}

} // namespace hocket
