//===- DirectWidth.cpp - Chooses the width of copies directly to LDS ------------------------===//
//
// The copy widths that the GPU supports are tried in descending order. If no width is possible, the error describes the
// width that meets the most conditions, because the layouts were probably written for this width.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/DirectWidth.h"

#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/lane_to_llvm/CopyWidth.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "layout/DirectCopy.h"

using namespace mlir;

namespace hocket {
namespace {

/// The result of an attempt to lower a copy with one width. The attempt fails if there is a DirectCopyProblem, or if
/// the elements of an instruction are not contiguous in global memory.
struct Attempt {
  int32_t bytes = 0;
  DirectCopy copy;
  bool isGlobalPiece = false;

  bool fits() const { return copy.problem == DirectCopyProblem::None && isGlobalPiece; }
  int conditionsMet() const {
    constexpr int kAll = static_cast<int>(DirectCopyProblem::ViewStart) + 1;
    return copy.problem == DirectCopyProblem::None ? kAll : static_cast<int>(copy.problem);
  }
};

/// True if registers that are adjacent in LDS are also adjacent in global memory, and have the same mask.
bool isGlobalPiece(const LoweringContext &lowering, Operation *op, RankedTensorType source,
                   const VectorAccess &inShared) {
  VectorAccess inGlobal = planGlobalAccess(lowering, op, source, inShared.width);
  if (inGlobal.width != inShared.width)
    return false;
  return llvm::all_of(inShared.groups,
                      [&](const std::vector<int32_t> &group) { return llvm::is_contained(inGlobal.groups, group); });
}

/// Returns a hint that describes layouts in which consecutive lanes write consecutive runs of `elements` elements.
std::string sideBySide(int elements) {
  std::string text = "assign consecutive lanes to consecutive offsets of the tile, " + std::to_string(elements) +
                     (elements == 1 ? " element" : " elements") +
                     " per lane: e.g. with a DistributedLinearLayout whose ";
  if (elements == 1)
    return text + "lanes are the lowest offset bits, below those of registers and warps";
  return text + "first registers are the lowest offset bits, up to " + std::to_string(elements) +
         " elements, and whose lanes are the next ones";
}

/// Returns a message about the problem of `attempt`, and a hint.
std::pair<std::string, std::string> describe(const Attempt &attempt, int elementBytes, int warpSize) {
  auto bytes = [&](int64_t elements) { return std::to_string(elements * elementBytes); };
  std::string wide = std::to_string(attempt.bytes), piece = std::to_string(attempt.bytes * warpSize);
  std::string follow = sideBySide(attempt.bytes / elementBytes);
  const DirectCopy &copy = attempt.copy;
  switch (copy.problem) {
  case DirectCopyProblem::Registers:
    return {"a lane holds " + bytes(copy.found) + " contiguous bytes of the tile in shared memory",
            "give each lane more contiguous elements (size_per_thread) along the tile's fastest dimension"};
  case DirectCopyProblem::Lanes:
    if (copy.found == 0)
      return {"lanes 0 and " + std::to_string(copy.lane) + " hold the same elements",
              "the tile must have at least " + piece + " bytes, so that each lane of a warp has its own"};
    return {"lane " + std::to_string(copy.lane) + " would write " + bytes(copy.found) + " bytes after lane 0, not " +
                std::to_string(copy.lane * attempt.bytes),
            follow};
  case DirectCopyProblem::Pieces:
    return {"some registers or warps start " + bytes(copy.found) + " bytes into the " + piece +
                " bytes that a warp writes at once",
            "a swizzle may not move data across lanes: " + follow};
  case DirectCopyProblem::Padding:
    return {"padding after every " + bytes(copy.found) + " bytes splits the " + piece +
                " bytes that a warp writes at once",
            "use an interval that is a multiple of " + std::to_string(attempt.bytes * warpSize / elementBytes) +
                " elements"};
  case DirectCopyProblem::PaddingSize:
    return {"a padding of " + bytes(copy.found) + " bytes moves a lane's " + wide +
                " bytes to where they are not aligned",
            "use a padding that is a multiple of " + std::to_string(attempt.bytes / elementBytes) + " elements"};
  case DirectCopyProblem::ViewStart:
    return {"a view of this shape may start " + bytes(copy.found) + " bytes into the " + piece +
                " bytes that a warp writes at once",
            "copy into a whole buffer, or slice along the tile's slowest dimension"};
  case DirectCopyProblem::None:
    return {"the " + wide + " bytes of a lane are not known to be contiguous in global memory, aligned to " + wide +
                " bytes and under one mask",
            "declare facts about the addresses, e.g. strides and sizes that are multiples of 16, or with multiple_of "
            "and max_contiguous"};
  }
  llvm_unreachable("all problems are handled");
}

} // namespace

FailureOr<DirectWidth> chooseDirectWidth(const LoweringContext &lowering, Operation *op, hk::MemDescType tile) {
  auto source = cast<RankedTensorType>(cast<hk::GlobalAccess>(op).getGlobalAddresses().accessed);
  int elementBytes = hk::storageBits(tile.getElementType()) / 8;
  std::span<const int> widths = lowering.target.amdMemory->directToSharedBytes;
  LinearLayout bufferOffsets = hk::offsetsOfBuffer(tile);
  LinearLayout toOffset = tensorLayout(source).compose(bufferOffsets);
  auto paddings = cast<hk::SharedLayout>(tile.getLayout()).getPaddings();

  std::optional<Attempt> best;
  for (int bytes : llvm::reverse(widths)) {
    if (bytes < elementBytes)
      continue;
    Attempt attempt;
    attempt.bytes = bytes;
    attempt.copy = planDirectCopy(toOffset, bytes / elementBytes, lowering.warpSize(), paddings,
                                  hk::startBits(tile, bufferOffsets));
    if (attempt.copy.problem == DirectCopyProblem::None)
      attempt.isGlobalPiece = isGlobalPiece(lowering, op, source, attempt.copy.access);
    if (attempt.fits())
      return DirectWidth{bytes, attempt.copy.access.groups, source};
    if (!best || attempt.conditionsMet() > best->conditionsMet())
      best = std::move(attempt);
  }
  if (!best)
    return op->emitError() << "elements of " << elementBytes * 8 << " bits cannot be copied directly to shared memory "
                           << "on " << lowering.target.name << ", which copies " << listCopyWidths(lowering.target)
                           << " bytes per lane",
           failure();
  auto [problem, hint] = describe(*best, elementBytes, lowering.warpSize());
  InFlightDiagnostic error =
      op->emitError() << "cannot copy directly to shared memory, where consecutive lanes write consecutive runs of "
                      << listCopyWidths(lowering.target) << " bytes: " << problem;
  error.attachNote() << "hint: " << hint;
  return failure();
}

} // namespace hocket
