//===- AllocateMemory.cpp - Allocates buffers and scratch space -------------------===//
//
// Every allocation gets an offset in its memory space (MemorySpaces.h). Allocations of one space that are live at the
// same time do not overlap. Scratch space is in shared memory.
//
// Input:   hk, with structured control flow.
// Output:  every hk.local_alloc and every operation with scratch has an `offset`. Existing offsets are unchanged. The
//          module's attributes for bytes and buffers of each space (AllocationAttrs) are extended, see ReserveMemory.h.
// Method:  first fit, largest allocation first. Each allocation gets the lowest aligned offset at which no placed
//          allocation that is live at the same time overlaps it. Small scratch shares no memory with other allocations
//          (see kPrivateScratchBytes). Allocations of different functions can overlap, because a launch runs only one
//          function of the module. One range after all other allocations passes commands and values to the workers of
//          hk.warp_specialize.
// Not done: moving operations to shorten live intervals; an optimal packing.
// Cost:    quadratic in the number of allocations, which is rarely above 20.
//===------------------------------------------------------------------------------===//
#include "analysis/memory/MemoryAliases.h"
#include "analysis/memory/MemoryLiveness.h"
#include "dialect/hk/facts/HkStorageInterfaces.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/ReserveMemory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_ALLOCATEMEMORY
#include "transforms/Passes.h.inc"

/// Scratch of at most this size shares no memory with other allocations. If two reductions shared their scratch, a
/// barrier would have to order the reads of the first reduction before the writes of the second. With separate scratch,
/// a softmax, which reduces twice, needs 2 barriers instead of 3. Exchanging one value per row between warps takes at
/// most 1024 bytes: 4 bytes x 16 warps x 16 rows.
static constexpr int64_t kPrivateScratchBytes = 1024;
/// Maximum total size of the scratch that shares no memory with other allocations.
static constexpr int64_t kPrivateScratchTotal = 4096;

namespace {
struct Placed {
  LivePiece piece;
  int64_t offset = 0;
  int64_t end() const { return offset + piece.bytes; }
};

/// Returns the alignment of an allocation's address.
static int64_t alignmentOf(const LivePiece &piece) {
  auto buffer = dyn_cast<hk::LocalAllocOp>(piece.owner);
  Attribute layout = buffer ? buffer.getType().getLayout() : Attribute();
  if (auto aligned = dyn_cast_or_null<hk::AlignedLayout>(layout))
    return aligned.getAlignment();
  const int64_t least = piece.getSpace().getAlignment();
  auto linear = dyn_cast_or_null<hk::SharedLinearAttr>(layout);
  return linear ? std::max<int64_t>(linear.getAlignment(), least) : least;
}
} // namespace

/// Makes small scratch live in the whole function, so that no other allocation shares its memory.
static void makeSmallScratchPrivate(MutableArrayRef<LivePiece> pieces) {
  int64_t total = 0;
  for (LivePiece &piece : pieces) {
    if (!piece.isScratch() || piece.bytes > kPrivateScratchBytes || total + piece.bytes > kPrivateScratchTotal)
      continue;
    total += piece.bytes;
    piece.live = {0, std::numeric_limits<int64_t>::max()};
  }
}

/// Returns the lowest offset at which `piece` overlaps no allocation in `placed` of the same space that is live at the
/// same time.
static int64_t firstFit(const LivePiece &piece, ArrayRef<Placed> placed) {
  SmallVector<Interval> taken;
  for (const Placed &other : placed)
    if (other.piece.getSpace() == piece.getSpace() && other.piece.live.overlaps(piece.live))
      taken.push_back({other.offset, other.end()});
  llvm::sort(taken, [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
  int64_t offset = 0;
  for (const Interval &other : taken) {
    if (offset + piece.bytes <= other.begin)
      break;
    offset = std::max<int64_t>(offset, llvm::alignTo(other.end, alignmentOf(piece)));
  }
  return offset;
}

static SmallVector<Placed> placeAll(SmallVector<LivePiece> pieces) {
  llvm::sort(pieces, [](const LivePiece &a, const LivePiece &b) {
    return std::pair(-a.bytes, a.live.begin) < std::pair(-b.bytes, b.live.begin);
  });
  makeSmallScratchPrivate(pieces);
  SmallVector<Placed> placed;
  for (const LivePiece &piece : pieces)
    placed.push_back({piece, firstFit(piece, placed)});
  return placed;
}

/// Returns a name for messages, such as "`a_smem`", "the buffer allocated in line 7" or "scratch of reduce in line 9".
static std::string nameOf(const LivePiece &piece) {
  if (piece.isScratch())
    return "scratch of " + piece.owner->getName().stripDialect().str() + hk::lineOf(piece.owner, " in ");
  if (StringAttr name = hk::nameOf(piece.owner))
    return "`" + name.str() + "`";
  return "the buffer allocated" + hk::lineOf(piece.owner, " in ");
}

/// Returns, for each buffer of mbarriers, the operations that arrive at its mbarriers, and the operations that start
/// copies which complete on its mbarriers.
static llvm::DenseMap<Operation *, MbarrierSources> mbarrierSources(ModuleOp module) {
  llvm::DenseMap<Operation *, MbarrierSources> sources;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.walk([](hk::SharedBarrierUse) { return WalkResult::interrupt(); }).wasInterrupted())
      continue;
    MemoryAliases aliases(function);
    auto addPlace = [&](Operation *op, std::vector<std::string> MbarrierSources::*places) {
      std::string place = hk::lineOf(op, "");
      if (auto worker = op->getParentOfType<hk::WorkerOp>())
        place += " of worker `" + worker.getName().str() + "`";
      for (Value operand : op->getOperands())
        for (const MemoryRegion &region : aliases.lookup(operand))
          if (auto found = sources.find(region.getOwner()); found != sources.end())
            if (auto &known = found->second.*places; !llvm::is_contained(known, place))
              known.push_back(place);
    };
    function.walk([&](hk::SharedBarrierUse use) {
      if (isa<hk::AsyncAccess>(use.getOperation()))
        return;
      for (const MemoryUse &handle : aliases.usesOf(use))
        for (const MemoryRegion &region : handle.regions)
          sources.try_emplace(region.getOwner());
      if (use.signalsAll() || isa<hk::AsyncArrival>(use.getOperation()))
        addPlace(use, &MbarrierSources::arrivals);
    });
    function.walk([&](hk::AsyncAccess copy) { addPlace(copy, &MbarrierSources::copies); });
  }
  return sources;
}

static ReservedPart partOf(const Placed &placed) {
  Operation *owner = placed.piece.owner;
  std::string what =
      placed.piece.isScratch() ? "the scratch space of " + owner->getName().stripDialect().str() : "a buffer";
  return {owner->getLoc(), nameOf(placed.piece), std::move(what), placed.offset, placed.piece.bytes};
}

/// Places the allocations of `function` that have no offset, and appends them to `placed`. The offsets are relative to
/// the memory that the pass reserves.
static LogicalResult placeFunction(func::FuncOp function, SmallVectorImpl<Placed> &placed) {
  MemoryLiveness liveness(function);
  if (liveness.carriesOwnBuffer)
    return liveness.carriesOwnBuffer->emitError(
        "a buffer allocated in a loop is carried into the next iteration, where the same memory is allocated again; "
        "allocate a ring of buffers before the loop, with one buffer per iteration in flight");
  llvm::erase_if(liveness.pieces, [](const LivePiece &piece) { return hk::offsetOf(piece.owner).has_value(); });
  llvm::append_range(placed, placeAll(std::move(liveness.pieces)));
  return success();
}

/// Allocates the memory that passes commands and values to workers. All launches of workers use the same memory.
static LogicalResult placeHandOver(ModuleOp module) {
  SmallVector<hk::WarpSpecializeOp> starts;
  int64_t bytes = 0;
  module.walk([&](hk::WarpSpecializeOp op) {
    if (op.getOffset())
      return;
    starts.push_back(op);
    bytes = std::max(bytes, op.getHandOverBytes());
  });
  if (starts.empty())
    return success();
  FailureOr<int64_t> offset =
      reserveMemory(module, hk::SharedSpaceAttr::get(module.getContext()),
                    ReservedPart{starts.front()->getLoc(), "the data that warp_specialize passes to workers",
                                 "data for workers", 0, bytes});
  if (failed(offset))
    return failure();
  for (hk::WarpSpecializeOp op : starts)
    op.setOffset(*offset);
  return success();
}

/// Reserves memory of `space` for the allocations `placed`, and sets their final offsets.
static LogicalResult reserveIn(ModuleOp module, hk::MemorySpace space, ArrayRef<Placed> placed) {
  int64_t alignment = space.getAlignment();
  for (const Placed &one : placed)
    alignment = std::max(alignment, alignmentOf(one.piece));
  llvm::DenseMap<Operation *, MbarrierSources> sources = mbarrierSources(module);
  std::vector<ReservedPart> parts;
  for (const Placed &one : placed) {
    parts.push_back(partOf(one));
    if (auto found = sources.find(one.piece.owner); found != sources.end())
      parts.back().mbarrier = found->second;
  }
  FailureOr<int64_t> begin = reserveMemory(module, space, parts, alignment);
  if (failed(begin))
    return failure();
  for (const Placed &one : placed)
    hk::setOffset(one.piece.owner, *begin + one.offset);
  return success();
}

static LogicalResult allocateMemory(ModuleOp module) {
  SmallVector<Placed> placed;
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(placeFunction(function, placed)))
      return failure();
  llvm::MapVector<hk::MemorySpace, SmallVector<Placed>> bySpace;
  bySpace[hk::SharedSpaceAttr::get(module.getContext())]; // creates an entry for shared memory, even without buffers
  for (const Placed &one : placed)
    bySpace[one.piece.getSpace()].push_back(one);
  for (auto &[space, inSpace] : bySpace)
    if (failed(reserveIn(module, space, inSpace)))
      return failure();
  return placeHandOver(module);
}

namespace {
struct AllocateMemoryPass : impl::AllocateMemoryBase<AllocateMemoryPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())) || failed(requireKnownOrigins(getOperation())) ||
        failed(allocateMemory(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace hocket
