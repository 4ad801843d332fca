//===- CheckPhases.cpp - Rejects reads and refills of a tile that come too early ---------===//
#include "transforms/check_phases/CheckPhases.h"

#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/Scratch.h"
#include "transforms/check_phases/EarlyReads.h"
#include "transforms/check_phases/EarlyRefills.h"

using namespace mlir;

namespace hocket {

/// Returns the name of the buffer of `handle`; empty if the buffer has no name or is not known uniquely.
static std::string nameOf(Value handle, const MemoryAliases &aliases) {
  ArrayRef<MemoryRegion> regions = aliases.lookup(handle);
  StringAttr name = regions.size() == 1 ? hk::nameOf(regions.front().getOwner()) : StringAttr();
  return name ? name.str() : std::string();
}

static std::string quoted(const std::string &name, StringRef otherwise) {
  return name.empty() ? otherwise.str() : "`" + name + "`";
}

/// Returns the source text of a wait for the mbarrier `handle`.
static std::string waitFor(Value handle, const MemoryAliases &aliases) {
  std::string name = nameOf(handle, aliases);
  ArrayRef<MemoryRegion> regions = aliases.lookup(handle);
  auto buffer = regions.size() == 1 ? dyn_cast<hk::LocalAllocOp>(regions.front().getOwner()) : hk::LocalAllocOp();
  bool isSlot = buffer && regions.front() != MemoryRegion::ofBuffer(buffer);
  return "mbarrier.wait(" + (name.empty() ? "barrier" : name) + (isSlot ? ".index(i)" : "") + ", phase)";
}

static StringRef nounOfAccess(Operation *start) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto memory = dyn_cast<MemoryEffectOpInterface>(start))
    memory.getEffectsOnResource(hk::GlobalMemory::get(), effects);
  if (effects.empty())
    return "store";
  return isa<hk::AsyncProxyAccess>(start) ? "load" : "copy";
}

static LogicalResult report(const EarlyRead &early, const MemoryAliases &aliases) {
  Value barrier = early.start->barriers.front();
  InFlightDiagnostic error = early.read->emitError();
  error << "this reads " << quoted(nameOf(early.start->tile, aliases), "the tile") << " before the "
        << nounOfAccess(early.start->op) << hk::lineOf(early.start->op, " of ") << " is complete: no wait for "
        << quoted(nameOf(barrier, aliases), "its mbarrier") << " comes before it";
  error.attachNote() << "hint: write " << waitFor(barrier, aliases)
                     << hk::lineOf(early.read, " before ", "", " before this")
                     << ", where phase counts 0, 1, 2, ... from init";
  return failure();
}

static LogicalResult report(const EarlyRefill &early, const MemoryAliases &aliases) {
  Operation *start = early.start->op;
  InFlightDiagnostic error = start->emitError();
  error << "this overwrites " << quoted(nameOf(early.start->tile, aliases), "the tile")
        << " while other warps may read "
        << "it" << hk::lineOf(early.read, " in ") << ": ";
  if (early.arrival)
    error << "nothing waits for " << quoted(nameOf(early.barrier, aliases), "the mbarrier") << ", at which they arrive"
          << hk::lineOf(early.arrival, " in ");
  else
    error << "the loop does not wait for them";
  std::string wait = early.arrival ? waitFor(early.barrier, aliases) : "mbarrier.wait(empty, phase)";
  error.attachNote() << "hint: " << (early.arrival ? "" : "let the readers arrive at an mbarrier and ") << "write "
                     << wait << hk::lineOf(start, " before ", "", " before this")
                     << ", where phase is 1 while the buffers are filled for the first time, then 0, 1, 0, ...";
  return failure();
}

LogicalResult checkPhases(func::FuncOp function) {
  auto isBarrierUse = [](hk::SharedBarrierUse) { return WalkResult::interrupt(); };
  if (function.isExternal() || !function.walk(isBarrierUse).wasInterrupted())
    return success();
  PhaseAccesses accesses(function);
  if (std::optional<EarlyRead> early = findEarlyRead(accesses))
    return report(*early, accesses.getAliases());
  if (std::optional<EarlyRefill> early = findEarlyRefill(accesses))
    return report(*early, accesses.getAliases());
  return success();
}

} // namespace hocket
