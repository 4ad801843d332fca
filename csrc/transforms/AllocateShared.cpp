//===- AllocateShared.cpp - Place buffers and scratch space in shared memory ------===//
//
// Every piece of shared memory gets an offset such that pieces that are live together do not overlap.
//
// Input:   hk, with structured control flow.
// Output:  hk.offset on every hk.local_alloc and every operation with scratch; hk.shared_bytes and hk.buffers on the
//          module.
// Method:  first fit, largest piece first: each takes the lowest aligned gap that is free of the placed pieces whose
//          live intervals overlap its own. Small scratch overlaps nothing (see kPrivateScratchBytes).
// Not done: moving allocations to shorten their lives; an optimal packing.
// Cost:    quadratic in the number of pieces, which is rarely above 20.
//
//===------------------------------------------------------------------------------===//
#include "analysis/shared/SharedLiveness.h"
#include "dialect/hk/Locations.h"
#include "dialect/hk/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "transforms/Passes.h.inc"

/// Widest access of one lane, in bytes: 128 bits on all targets.
static constexpr int64_t kAlignment = 16;

/// Scratch of at most this size keeps its memory for itself. If two reductions shared their scratch, a barrier would
/// have to separate the reads of the first from the writes of the second; the barrier inside the second is enough if
/// they do not (a softmax, which reduces twice, needs 2 barriers instead of 3). What a warp-to-warp exchange of one
/// value per row takes is well below: 4 bytes x 16 warps x 16 rows.
static constexpr int64_t kPrivateScratchBytes = 1024;
/// But not more than this in all.
static constexpr int64_t kPrivateScratchTotal = 4096;

namespace {
struct Placed {
  LivePiece piece;
  int64_t offset = 0;
  int64_t end() const { return offset + piece.bytes; }
};
} // namespace

/// Lets small scratch live from the first operation to the last.
static void makeSmallScratchPrivate(MutableArrayRef<LivePiece> pieces) {
  int64_t total = 0;
  for (LivePiece &piece : pieces) {
    if (!piece.isScratch() || piece.bytes > kPrivateScratchBytes || total + piece.bytes > kPrivateScratchTotal)
      continue;
    total += piece.bytes;
    piece.live = {0, std::numeric_limits<int64_t>::max()};
  }
}

/// The lowest offset at which `piece` overlaps none of `placed` that are live with it.
static int64_t firstFit(const LivePiece &piece, ArrayRef<Placed> placed) {
  SmallVector<Interval> taken;
  for (const Placed &other : placed)
    if (other.piece.live.overlaps(piece.live))
      taken.push_back({other.offset, other.end()});
  llvm::sort(taken, [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
  int64_t offset = 0;
  for (const Interval &other : taken) {
    if (offset + piece.bytes <= other.begin)
      break;
    offset = std::max<int64_t>(offset, llvm::alignTo(other.end, kAlignment));
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

static std::string describe(const LivePiece &piece) {
  std::string text = std::to_string(piece.bytes) + " bytes for ";
  text += piece.isScratch() ? "the scratch space of " + piece.owner->getName().stripDialect().str() : "a buffer";
  if (Diagnostic at = hk::diagnosticAt(piece.owner->getLoc()); at.line > 0)
    text += " at " + displayPath(at.file) + ":" + std::to_string(at.line);
  return text;
}

/// Reported at the largest piece, with the others that matter as notes.
static void reportTooLarge(ArrayRef<Placed> placed, int64_t total, const TargetInfo &target) {
  InFlightDiagnostic error = placed.front().piece.owner->emitError()
                             << "the kernel needs " << total << " bytes of shared memory, but a block on "
                             << llvm::StringRef(target.name) << " has " << target.maxSharedBytes;
  for (const Placed &one : placed.take_front(3))
    error.attachNote(one.piece.owner->getLoc()) << describe(one.piece);
  error.attachNote() << "hint: use smaller tiles or fewer slots; buffers that are never in use together share memory";
}

/// " in line 7", or nothing.
static std::string lineOf(Operation *op) {
  Diagnostic at = hk::diagnosticAt(op->getLoc());
  return at.line > 0 ? " in line " + std::to_string(at.line) : "";
}

/// "`a_smem`", "the buffer allocated in line 7", "scratch of reduce in line 9".
static std::string nameOf(const LivePiece &piece) {
  if (piece.isScratch())
    return "scratch of " + piece.owner->getName().stripDialect().str() + lineOf(piece.owner);
  if (auto name = piece.owner->getAttrOfType<StringAttr>(hk::HkDialect::kNameAttr))
    return "`" + name.str() + "`";
  return "the buffer allocated" + lineOf(piece.owner);
}

static DictionaryAttr describeForEmulator(const Placed &placed, Builder &builder) {
  return builder.getDictionaryAttr({builder.getNamedAttr("name", builder.getStringAttr(nameOf(placed.piece))),
                                    builder.getNamedAttr("offset", builder.getI32IntegerAttr(placed.offset)),
                                    builder.getNamedAttr("bytes", builder.getI32IntegerAttr(placed.piece.bytes))});
}

static LogicalResult allocateShared(ModuleOp module, func::FuncOp function, int64_t &sharedBytes,
                                    SmallVectorImpl<Attribute> &buffers) {
  const TargetInfo &target = hk::targetOf(module);
  SharedLiveness liveness(function);
  if (liveness.carriesOwnBuffer)
    return liveness.carriesOwnBuffer->emitError(
        "a buffer allocated in a loop is carried into the next iteration, where the same memory is allocated again; "
        "allocate it before the loop, with one slot per iteration in flight");

  SmallVector<Placed> placed = placeAll(std::move(liveness.pieces));
  for (const Placed &one : placed)
    sharedBytes = std::max<int64_t>(sharedBytes, llvm::alignTo(one.end(), kAlignment));
  if (sharedBytes > target.maxSharedBytes)
    return reportTooLarge(placed, sharedBytes, target), failure();

  Builder builder(module.getContext());
  for (const Placed &one : placed) {
    one.piece.owner->setAttr(hk::HkDialect::kOffsetAttr, builder.getI32IntegerAttr(one.offset));
    buffers.push_back(describeForEmulator(one, builder));
  }
  return success();
}

namespace {
struct AllocateSharedPass : impl::AllocateSharedBase<AllocateSharedPass> {
  void runOnOperation() override {
    if (failed(hk::requireFacts(getOperation())))
      return signalPassFailure();
    int64_t sharedBytes = 0;
    SmallVector<Attribute> buffers;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(allocateShared(getOperation(), function, sharedBytes, buffers)))
        return signalPassFailure();
    Builder builder(&getContext());
    getOperation()->setAttr(hk::HkDialect::kSharedBytesAttr, builder.getI32IntegerAttr(sharedBytes));
    if (!buffers.empty())
      getOperation()->setAttr(hk::HkDialect::kBuffersAttr, builder.getArrayAttr(buffers));
  }
};
} // namespace

} // namespace hocket
