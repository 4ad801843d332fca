//===- UndefinedSources.cpp - Finds values that can be undefined, and the reads that return them ---===//
#include "conversion/lane_to_host/steps/UndefinedSources.h"

#include "conversion/lane_to_host/RuntimeCalls.h"
#include "dialect/hk/facts/Locations.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

static constexpr size_t kMostReads = 4;

LLVM::CallOp globalCheckOf(Value address) { return calls::global.match(address.getDefiningOp()); }

static uint64_t constantOperand(LLVM::CallOp call, unsigned index) {
  APInt number;
  bool isKnown = matchPattern(call.getOperand(index), m_ConstantInt(&number));
  assert(isKnown && "the kind and the site of a rendezvous are constants");
  (void)isKnown;
  return number.getZExtValue();
}

host_abi::CrossLaneOp crossLaneKindOf(LLVM::CallOp call) { return host_abi::CrossLaneOp(constantOperand(call, 1)); }
host_abi::SiteNumber crossLaneSiteOf(LLVM::CallOp call) { return host_abi::SiteNumber(constantOperand(call, 6)); }

std::optional<int32_t> matrixFieldOf(HostFunction &host, Value address) {
  auto field = address.getDefiningOp<LLVM::GEPOp>();
  if (!field || !host.stack.matrices.isAt(field.getBase()))
    return std::nullopt;
  return field.getRawConstantIndices().front();
}

std::optional<int32_t> warpgroupFieldOf(HostFunction &host, Value address) {
  auto field = address.getDefiningOp<LLVM::GEPOp>();
  if (!field || !host.stack.warpgroup.isAt(field.getBase()))
    return std::nullopt;
  return field.getRawConstantIndices().front();
}

UndefinedSources::UndefinedSources(HostFunction &host, bool unwritten) : host(host) {
  findReads(unwritten);
  while (!pending.empty())
    propagate(pending.pop_back_val());
}

/// True if `use` is the use of a predicated load in `select predicate, load, other`.
static bool isReplaced(OpOperand &use) {
  auto select = dyn_cast<LLVM::SelectOp>(use.getOwner());
  auto load = use.get().getDefiningOp<LLVM::LoadOp>();
  if (!select || !load || use.getOperandNumber() != 1)
    return false;
  LLVM::CallOp check = globalCheckOf(load.getAddr());
  return check && check.getOperand(3) == select.getCondition();
}

void UndefinedSources::findReads(bool unwritten) {
  host.function().walk([&](Operation *op) {
    Value address;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      address = load.getAddr();
    else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
      address = atomic.getPtr();
    else if (auto atomic = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
      address = unwritten && globalCheckOf(atomic.getPtr()) ? atomic.getPtr() : Value();
    if (!address)
      return;
    LLVM::CallOp check = globalCheckOf(address);
    if (host.shared.contains(address)) {
      addRead(op->getResult(0), Kind::Shared);
      sharedLoads.push_back(op->getResult(0));
    }
    if (!check && warpgroupFieldOf(host, address))
      addRead(op->getResult(0), Kind::Wgmma);
    if (!check && matrixFieldOf(host, address))
      matrixLoads.push_back(op->getResult(0));
    if (check && !matchPattern(check.getOperand(3), m_One()) && !llvm::all_of(op->getResult(0).getUses(), isReplaced))
      addRead(op->getResult(0), Kind::MaskedOff);
    if (check && unwritten)
      addRead(op->getResult(0), Kind::Unwritten);
  });
}

void UndefinedSources::addRead(Value result, Kind kind) {
  addTo(result, {unsigned(reads.size())});
  reads.push_back({hk::diagnosticAt(result.getLoc()).line, kind});
}

bool UndefinedSources::add(Reads &known, const Reads &more) {
  size_t before = known.size();
  for (unsigned read : more)
    if (known.size() < kMostReads && !llvm::is_contained(known, read))
      known.push_back(read);
  return known.size() > before;
}

void UndefinedSources::addTo(Value value, const Reads &more) {
  if (add(sources[value], more))
    pending.push_back(value);
}

void UndefinedSources::propagate(Value value) {
  Reads all = sources[value], unwritten;
  llvm::copy_if(all, std::back_inserter(unwritten), [&](unsigned read) { return reads[read].kind == Kind::Unwritten; });
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    const Reads &found = isReplaced(use) ? unwritten : all;
    if (found.empty() || isa<LLVM::LoadOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op))
      continue;
    if (auto branch = dyn_cast<BranchOpInterface>(op)) {
      // Operands of branches to a fault are ignored, because the fault also reports undefined operands.
      std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
      if (argument && !host.guards.isFault(argument->getOwner()))
        addTo(*argument, found);
      continue;
    }
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      if (store.getValue() == value && matrixFieldOf(host, store.getAddr()) && add(matrices, found))
        for (Value load : matrixLoads)
          addTo(load, matrices);
      if (store.getValue() == value && host.shared.contains(store.getAddr()) && add(stored, found))
        for (Value load : sharedLoads)
          addTo(load, stored);
      continue;
    }
    if (isRuntimeCall(op) && !calls::crossLane.match(op))
      continue;
    for (Value result : op->getResults())
      addTo(result, found);
  }
}

std::string UndefinedSources::describe(ValueRange values) const {
  std::string text;
  llvm::SmallVector<Read> told;
  for (Value value : values) {
    auto found = sources.find(value);
    if (found == sources.end())
      continue;
    for (unsigned number : found->second)
      if (const Read &read = reads[number]; !llvm::is_contained(told, read) && told.size() < kMostReads)
        told.push_back(read);
  }
  auto tell = [&](const Read &read) {
    text += (text.empty() ? "line " : "; or line ") + std::to_string(read.line);
    text += read.kind == Kind::Shared      ? ", shared memory that nothing has written"
            : read.kind == Kind::Wgmma     ? ", a wgmma that is in flight, or that has undefined operands"
            : read.kind == Kind::MaskedOff ? ", masked off without `other`"
                                           : ", elements of an array that nothing has written";
  };
  // Reads of shared memory are listed last, because some are reads of scratch memory by reductions and convert_layout,
  // which users do not see.
  for (bool tellsShared : {false, true})
    for (const Read &read : told)
      if ((read.kind == Kind::Shared) == tellsShared)
        tell(read);
  return text;
}

} // namespace hocket
