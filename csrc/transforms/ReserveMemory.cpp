//===- ReserveMemory.cpp - Reserves memory of the block ----------------------------===//
#include "transforms/ReserveMemory.h"

#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

static std::string describe(const ReservedPart &part) {
  std::string text = std::to_string(part.bytes) + " bytes for " + part.what;
  if (Diagnostic at = hk::diagnosticAt(part.loc); at.line > 0)
    text += " at " + displayPath(at.file) + ":" + std::to_string(at.line);
  return text;
}

static constexpr char kTooLarge[] = "too large";

bool saysTooLarge(mlir::Diagnostic &error) {
  return llvm::any_of(error.getMetadata(), [](const DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute &&
           argument.getAsAttribute() == StringAttr::get(argument.getAsAttribute().getContext(), kTooLarge);
  });
}

/// Reports that the kernel needs too much memory: an error at the largest part, with notes at other large parts.
static void reportTooLarge(Location kernel, hk::MemorySpace space, ArrayRef<ReservedPart> parts, int64_t reservedBefore,
                           int64_t total, const TargetInfo &target) {
  constexpr size_t kShown = 3;
  SmallVector<const ReservedPart *> largestFirst;
  for (const ReservedPart &part : parts)
    largestFirst.push_back(&part);
  llvm::stable_sort(largestFirst, [](const ReservedPart *a, const ReservedPart *b) { return a->bytes > b->bytes; });
  InFlightDiagnostic error = emitError(parts.empty() ? kernel : largestFirst.front()->loc)
                             << "the kernel needs " << total << " bytes of " << space.getName() << ", but a block on "
                             << llvm::StringRef(target.name) << " has " << space.getCapacity(target);
  error.getUnderlyingDiagnostic()->getMetadata().push_back(
      DiagnosticArgument(StringAttr::get(kernel.getContext(), kTooLarge)));
  for (const ReservedPart *part : ArrayRef(largestFirst).take_front(kShown))
    error.attachNote(part->loc) << describe(*part);
  if (reservedBefore > 0)
    error.attachNote() << reservedBefore << " bytes were reserved before";
  error.attachNote() << "hint: " << (parts.empty() ? kSmallerTiles : largestFirst.front()->hint);
}

static hk::BufferAttr bufferFor(MLIRContext *context, const ReservedPart &part, int64_t begin) {
  auto strings = [&](ArrayRef<std::string> texts) {
    return Builder(context).getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end()));
  };
  ArrayAttr arrivals, copies;
  if (part.mbarrier) {
    arrivals = strings(part.mbarrier->arrivals);
    copies = strings(part.mbarrier->copies);
  }
  return hk::BufferAttr::get(context, part.name, begin + part.offset, part.bytes, arrivals, copies);
}

FailureOr<int64_t> reserveMemory(ModuleOp module, hk::MemorySpace space, ArrayRef<ReservedPart> parts,
                                 int64_t alignment) {
  const hk::AllocationAttrs attrs = space.getAllocationAttrs();
  const int64_t leastAlignment = space.getAlignment();
  alignment = std::max(alignment, leastAlignment);
  const int64_t reservedBefore = attrs.bytes.get(module).value_or(0);
  const int64_t begin = parts.empty() ? reservedBefore : llvm::alignTo(reservedBefore, alignment);
  int64_t end = begin;
  for (const ReservedPart &part : parts)
    end = std::max(end, begin + part.offset + part.bytes);
  const int64_t total = llvm::alignTo(end, leastAlignment);
  const TargetInfo &target = hk::targetOf(module);
  if (total > space.getCapacity(target))
    return reportTooLarge(module.getLoc(), space, parts, reservedBefore, total, target), failure();

  SmallVector<hk::BufferAttr, 4> buffers = attrs.buffers.get(module);
  for (const ReservedPart &part : parts)
    buffers.push_back(bufferFor(module.getContext(), part, begin));
  attrs.bytes.set(module, total);
  if (alignment > attrs.alignment.get(module).value_or(leastAlignment))
    attrs.alignment.set(module, alignment);
  if (!buffers.empty())
    attrs.buffers.set(module, buffers);
  return begin;
}

} // namespace hocket
