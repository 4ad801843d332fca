//===- TensorCopies.cpp - TMA copies of boxes of tensors ---------------------------------------===//
#include "emulator/block/TensorCopies.h"

#include "emulator/block/AsyncCopy.h"
#include "emulator/machine/TensorReductions.h"

#include <algorithm>
#include <cstring>

namespace hocket::emulator {

/// Maximum number of stores of a lane whose data have been read but not written to global memory. If a lane has more
/// such stores, the oldest stores are written, to bound the memory use.
static constexpr size_t kMostUnwritten = 16;

TensorCopies::TensorCopies(const EmulatedLaunch &launch, BlockFaults &faults, SharedMemory &shared,
                           GlobalMemory &global, Mbarriers &mbarriers, BlockTiming &timing)
    : launch(launch), faults(faults), shared(shared), global(global), mbarriers(mbarriers), timing(timing) {
  mbarriers.addSource({.next = [this](uint64_t barrier) -> std::optional<Clocks> {
                         auto load = firstTo(barrier);
                         return load == loads.end() ? std::nullopt : std::optional(load->at);
                       },
                       .bring = [this](uint64_t barrier) { bring(barrier); }});
}

void TensorCopies::begin(uint64_t block) {
  for (auto &[thread, stores] : storesOf)
    for (const Store &store : stores.inFlight)
      if (!store.isAwaited)
        shared.races().dropRead(store.box.offset, bytesOf(*store.box.map));
  storesOf.clear();
  for (const Load &load : loads)
    shared.races().dropCopy(load.box.offset, bytesOf(*load.box.map));
  loads.clear();
  madeMaps.clear();
  random.seed(launch.options.seed * 0x9e3779b9 + block);
}

// Built descriptors ---------------------------------------------------------------------------------------------------

namespace {
struct ElementForm {
  TensorElement element;
  uint8_t bytes;
};
} // namespace

/// Returns the element format that tensormap.replace.tile.elemtype encodes as `number`. PTX's numbers differ from those
/// of CUtensorMapDataType, because PTX has an additional format between f32 and f64.
static ElementForm elementFormOf(uint64_t number) {
  using enum TensorElement;
  constexpr ElementForm kForms[] = {{U8, 1},  {U16, 2}, {U32, 4}, {I32, 4}, {U64, 8}, {I64, 8},
                                    {F16, 2}, {F32, 4}, {F32, 4}, {F64, 8}, {BF16, 2}};
  return kForms[number];
}

const TensorMap *TensorCopies::keep(const TensorMap *map) {
  for (auto [argument, slot] : llvm::zip_equal(launch.arguments, launch.slots))
    if (std::holds_alternative<WideArgument>(argument) && slot == reinterpret_cast<uint64_t>(map))
      return map;
  auto isSame = [&](const MadeMap &made) {
    return made.address == map && std::memcmp(&made.map, map, sizeof(*map)) == 0;
  };
  auto found = std::ranges::find_if(madeMaps, isSame);
  return found != madeMaps.end() ? &found->map : &madeMaps.emplace_back(MadeMap{map, *map}).map;
}

void TensorCopies::replace(Lane &lane, TensorMap &map, host_abi::TensorMapField field, uint32_t dimension,
                           uint64_t value, uint32_t site) {
  using host_abi::TensorMapField;
  auto isOfPlace = [&](const Box &box) {
    return std::ranges::any_of(madeMaps,
                               [&](const MadeMap &made) { return &made.map == box.map && made.address == &map; });
  };
  auto refuseIfUsed = [&](const Box &box, uint32_t thread) {
    if (!isOfPlace(box))
      return;
    BlockFault fault = {.kind = FailureKind::Descriptor, .site = site, .thread = lane.thread};
    fault.other = OtherAccess{.kind = {}, .block = 0, .site = box.sharedSite, .thread = thread};
    faults.fail(lane, std::move(fault));
  };
  for (const Load &load : loads)
    refuseIfUsed(load.box, load.thread);
  for (auto &[thread, stores] : storesOf)
    for (const Store &store : stores.inFlight)
      if (!store.isAwaited)
        refuseIfUsed(store.box, thread);

  auto require = [&](bool isRight) {
    if (!isRight)
      faults.fail(lane, {.kind = FailureKind::Descriptor,
                         .site = site,
                         .thread = lane.thread,
                         .coordinate = int64_t(value),
                         .dim = dimension,
                         .rank = map.rank,
                         .field = field});
  };
  constexpr uint64_t kMostStrideBytes = uint64_t(1) << 40;
  switch (field) {
  case TensorMapField::Address:
    require(value % kTmaUnitBytes == 0);
    map.address = value;
    break;
  case TensorMapField::Rank:
    map.rank = uint8_t(value + 1);
    break;
  case TensorMapField::BoxSize:
    map.box[dimension] = uint32_t(value);
    break;
  case TensorMapField::Size:
    require(int32_t(value) > 0);
    map.sizes[dimension] = uint32_t(value);
    break;
  case TensorMapField::StrideBytes:
    require(value % kTmaUnitBytes == 0 && value < kMostStrideBytes);
    map.strideBytes[dimension + 1] = value;
    break;
  case TensorMapField::Element:
    map.element = elementFormOf(value).element;
    map.elementBytes = elementFormOf(value).bytes;
    map.strideBytes[0] = map.elementBytes;
    break;
  case TensorMapField::Swizzle:
    map.swizzleBytes = value ? uint8_t(16 << value) : 0;
    break;
  case TensorMapField::Fill:
    map.fillsNan = uint8_t(value);
    break;
  }
}

// Copies --------------------------------------------------------------------------------------------------------------

void TensorCopies::checkOrigin(Lane &lane, const Box &box) {
  uint64_t bytes = bytesOf(*box.map), size = launch.program.sharedBytes;
  if (box.offset > size || bytes > size - box.offset)
    faults.fail(lane, FailureKind::OutOfBounds, box.sharedSite, box.offset);
  if (box.offset % kTmaBoxAlignment != 0)
    faults.fail(lane, FailureKind::Misaligned, box.sharedSite, box.offset);
}

/// Reports a fault for coordinates that an H200 rejects with an illegal-instruction error. PTX does not document this
/// error.
void TensorCopies::checkCoordinates(Lane &lane, const Box &box, bool mayBeNegative) {
  const TensorMap &map = *box.map;
  BlockFault fault = {.kind = FailureKind::Coordinate, .site = box.sharedSite, .thread = lane.thread, .rank = map.rank};
  auto fail = [&](uint32_t dim, uint32_t multiple) {
    fault.dim = dim;
    fault.coordinate = box.origin.coordinates[dim];
    fault.multiple = multiple;
    faults.fail(lane, std::move(fault));
  };
  auto piece = uint32_t(kTmaUnitBytes / map.elementBytes);
  if (box.origin.coordinates[0] % piece != 0)
    fail(0, piece);
  for (uint32_t dim = 0; dim < map.rank; ++dim)
    if (box.origin.coordinates[dim] < 0 && !mayBeNegative)
      fail(dim, 0);
}

/// Reports a fault if the first pixel is outside the im2col box, or if an offset does not fit into its bit width. PTX
/// does not define the result in these cases.
void TensorCopies::checkPixels(Lane &lane, const Box &box) {
  const TensorMap &map = *box.map;
  BlockFault fault = {.kind = FailureKind::Coordinate, .site = box.sharedSite, .thread = lane.thread, .rank = map.rank};
  auto check = [&](unsigned i, int64_t value, BlockFault::Range range) {
    if (value >= range.first && value <= range.last)
      return;
    fault.dim = i + 1;
    fault.coordinate = value;
    fault.range = range;
    faults.fail(lane, std::move(fault));
  };
  for (unsigned i = 0; i < map.spatialRank(); ++i) {
    check(i, box.origin.coordinates[i + 1], {map.lowerCorner[i], map.lastPixel(i), false});
    check(i, box.origin.offsets[i], {0, mostOffset(map), true});
  }
}

// Stores --------------------------------------------------------------------------------------------------------------

void TensorCopies::store(Lane &lane, const Box &box) {
  checkOrigin(lane, box);
  checkCoordinates(lane, box, /*mayBeNegative=*/false);
  Stores &stores = storesOf[lane.thread];
  forEachRow(*box.map, box.origin, RowEnd::Piece, [&](const TensorRow &row) {
    global.storeRow(lane, row.address, row.bytes, box.globalSite, stores.openGroup);
  });
  shared.races().beginRead(lane, box.offset, bytesOf(*box.map), box.sharedSite);
  timing.startStore(lane.warp, bytesOf(*box.map));
  step();
  Store &started = stores.inFlight.emplace_back(Store{.box = box, .group = stores.openGroup});
  if (launch.options.completion == Completion::Random)
    started.stepsLeft = uint32_t(random() % (kMaxCopySteps + 1));
  bool isEarly = launch.options.completion == Completion::Now ||
                 (launch.options.completion == Completion::Random && started.stepsLeft == 0);
  if (isEarly)
    read(started);
}

void TensorCopies::commitStores(Lane &lane) {
  step();
  ++storesOf[lane.thread].openGroup;
}

void TensorCopies::waitForStores(Lane &lane, uint32_t outstanding, bool readOnly) {
  auto found = storesOf.find(lane.thread);
  if (found == storesOf.end())
    return;
  step();
  Stores &stores = found->second;
  for (Store &store : stores.inFlight) {
    if (store.group + outstanding >= stores.openGroup)
      break;
    read(store);
    if (!store.isAwaited)
      shared.races().endRead(lane, store.box.offset, bytesOf(*store.box.map), store.box.sharedSite);
    store.isAwaited = true;
    if (!readOnly) {
      write(store);
      endWrites(lane, store);
    }
  }
  if (!readOnly && stores.openGroup >= outstanding)
    global.completeStores(lane, stores.openGroup - outstanding);
  while (!readOnly && !stores.inFlight.empty() && stores.inFlight.front().group + outstanding < stores.openGroup)
    stores.inFlight.pop_front();
  while (stores.inFlight.size() > kMostUnwritten && stores.inFlight.front().isAwaited) {
    write(stores.inFlight.front());
    stores.inFlight.pop_front();
  }
}

void TensorCopies::leave(Lane &lane) {
  auto found = storesOf.find(lane.thread);
  if (found == storesOf.end())
    return;
  for (const Store &store : found->second.inFlight)
    if (!store.isAwaited)
      faults.fail(lane, FailureKind::UnfinishedCopy, store.box.sharedSite, store.box.offset);
  // Stores in flight complete at the end of the block, so no release of the block covers their writes.
  for (const Store &store : found->second.inFlight)
    endWrites(lane, store);
}

void TensorCopies::endWrites(Lane &lane, const Store &store) {
  forEachRow(*store.box.map, store.box.origin, RowEnd::Piece,
             [&](const TensorRow &row) { global.endStoreOfRow(lane, row.address, row.bytes, store.box.globalSite); });
}

void TensorCopies::end() {
  for (auto &[thread, stores] : storesOf)
    for (const Store &store : stores.inFlight)
      write(store);
  storesOf.clear();
  if (!loads.empty())
    faults.report({.kind = FailureKind::UnfinishedCopy,
                   .site = loads.front().box.sharedSite,
                   .thread = loads.front().thread,
                   .address = loads.front().box.offset});
}

void TensorCopies::step() {
  if (launch.options.completion != Completion::Random)
    return;
  for (auto &[thread, stores] : storesOf)
    for (Store &store : stores.inFlight)
      if (!store.wasRead && --store.stepsLeft == 0)
        read(store);
  for (Load &load : loads)
    load.stepsLeft -= load.stepsLeft > 0;
  while (!loads.empty() && loads.front().stepsLeft == 0) {
    Load load = std::move(loads.front());
    loads.pop_front();
    arrive(load);
  }
}

void TensorCopies::read(Store &store) {
  if (store.wasRead)
    return;
  store.wasRead = true;
  forEachPart(*store.box.map, store.box.origin, store.box.offset, RowEnd::Piece, [&](const BoxPart &part) {
    if (!part.address)
      return;
    const std::byte *from = shared.bytes() + part.offset;
    store.bytes.insert(store.bytes.end(), from, from + part.bytes);
    if (const std::byte *undefined = shared.shadowAt(part.offset))
      store.shadow.insert(store.shadow.end(), undefined, undefined + part.bytes);
  });
}

void TensorCopies::write(const Store &store) {
  size_t done = 0;
  forEachPart(*store.box.map, store.box.origin, store.box.offset, RowEnd::Piece, [&](const BoxPart &part) {
    if (!part.address)
      return;
    auto *to = reinterpret_cast<std::byte *>(part.address);
    if (store.box.reduction == host_abi::TensorReduction::None)
      std::memcpy(to, store.bytes.data() + done, part.bytes);
    else
      reduceElements(store.box.reduction, store.box.map->element, to, store.bytes.data() + done, part.bytes);
    if (std::byte *undefined = launch.shadowOf(to); undefined && !store.shadow.empty())
      std::memcpy(undefined, store.shadow.data() + done, part.bytes);
    done += part.bytes;
  });
}

// Loads ---------------------------------------------------------------------------------------------------------------

void TensorCopies::load(Lane &lane, const Box &box, uint64_t barrier) {
  checkOrigin(lane, box);
  checkCoordinates(lane, box, /*mayBeNegative=*/true);
  if (box.map->isIm2col)
    checkPixels(lane, box);
  forEachRow(*box.map, box.origin, RowEnd::Element,
             [&](const TensorRow &row) { global.loadRow(lane, row.address, row.bytes, box.globalSite); });
  uint64_t bytes = bytesOf(*box.map);
  SharedRaces &races = shared.races();
  shared.remote().access(lane, box.offset, box.sharedSite);
  if (box.offset - lane.ownShared >= launch.program.sharedBytesOfCta())
    mbarriers.checkIsReady(lane, barrier, box.sharedSite);
  races.beginBulkLoad(lane, box.offset, bytes, box.sharedSite);
  // Until the load arrives, a read of its destination returns all-ones bytes: NaN in every float format.
  std::memset(shared.bytes() + box.offset, 0xff, bytes);
  forEachPart(*box.map, box.origin, box.offset, RowEnd::Element, [&](const BoxPart &part) {
    shared.define(part.offset, part.bytes,
                  part.address ? launch.shadowOf(reinterpret_cast<const std::byte *>(part.address)) : nullptr);
  });
  step();
  Load started = {.box = box, .barrier = barrier, .thread = lane.thread, .at = timing.startLoad(lane.warp, bytes)};
  if (WarpOrder &order = races.warpOrder(); order.isKept())
    started.epoch = order.clocksOf(lane).epoch;
  started.released = mbarriers.releasedBy(lane); // the release begins a new epoch of the warp
  if (launch.options.completion == Completion::Now)
    return arrive(started);
  started.stepsLeft = launch.options.completion == Completion::Random ? uint32_t(random() % kMaxCopySteps + 1) : 1;
  loads.push_back(std::move(started));
}

void TensorCopies::bring(uint64_t barrier) {
  auto found = firstTo(barrier);
  Load load = std::move(*found);
  loads.erase(found);
  arrive(load);
}

/// Fills `bytes` bytes with NaN elements: all bits of an element are set except its sign bit.
static void fillNan(std::byte *to, uint32_t bytes, uint32_t elementBytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    to[i] = std::byte(i % elementBytes == elementBytes - 1 ? 0x7f : 0xff);
}

/// Rounds each float32 to the nearest tf32, which has 10 fraction bits, ties to even. NaNs and infinities do not
/// change.
static void roundToTf32(std::byte *floats, uint32_t bytes) {
  constexpr uint32_t kDropped = 13, kExponent = 0x7f800000;
  for (uint32_t offset = 0; offset < bytes; offset += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, floats + offset, sizeof(bits));
    if ((bits & kExponent) == kExponent)
      continue;
    bits += ((bits >> kDropped) & 1) + (1u << (kDropped - 1)) - 1;
    bits &= ~((1u << kDropped) - 1);
    std::memcpy(floats + offset, &bits, sizeof(bits));
  }
}

void TensorCopies::arrive(const Load &load) {
  const TensorMap &map = *load.box.map;
  forEachPart(map, load.box.origin, load.box.offset, RowEnd::Element, [&](const BoxPart &part) {
    std::byte *to = shared.bytes() + part.offset;
    if (part.address)
      std::memcpy(to, reinterpret_cast<const void *>(part.address), part.bytes);
    else if (map.fillsNan)
      fillNan(to, part.bytes, map.elementBytes);
    else
      std::memset(to, 0, part.bytes);
    if (map.element == TensorElement::TF32)
      roundToTf32(to, part.bytes);
  });
  const uint32_t warpSize = launch.program.warpSize();
  uint64_t bytes = bytesOf(map);
  shared.races().endCopyAt(load.epoch, load.thread / warpSize, load.thread % warpSize, load.box.offset, bytes,
                           load.box.sharedSite);
  mbarriers.completeBytes(load.barrier, {uint32_t(bytes), load.box.sharedSite, load.thread, load.at}, load.released);
}

} // namespace hocket::emulator
