//===- NumberSites.cpp - Numbers the program points that write records ---------------===//
//
// Input:   tile IR with records.
// Output:  tile IR in which each record has the number of its site, and the module has the list of sites.
// Method:  one walk in program order. A scope ends in the basic block in which it begins, so open scopes form a stack.
//          A nested block begins with the stack of the block around it. Workers begin with an empty stack. The pass
//          runs before loops are unrolled, so that copies of a record have the same number.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Locations.h"
#include "dialect/prof/ProfConfig.h"
#include "transforms/prof/Passes.h"
#include "transforms/prof/RecordFacts.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_NUMBERSITES
#include "transforms/prof/Passes.h.inc"

namespace {
class SiteNumbers {
public:
  LogicalResult number(Region &region);
  /// Returns all sites in the order of their numbers.
  ArrayRef<prof::SiteAttr> all() const { return sites; }

private:
  struct Scope {
    prof::RecordOp begin;
    int64_t site;
  };

  LogicalResult number(Block &block);
  LogicalResult visit(Operation &op, size_t outer);
  LogicalResult close(prof::RecordOp end, size_t outer);
  template <typename OpT>
  FailureOr<int64_t> add(OpT op, prof::SiteKind kind);

  SmallVector<Scope> open;
  SmallVector<prof::SiteAttr> sites;
  llvm::DenseMap<Attribute, int64_t> numbers;
};
} // namespace

template <typename OpT>
FailureOr<int64_t> SiteNumbers::add(OpT op, prof::SiteKind kind) {
  Diagnostic place = hk::diagnosticAt(op.getLoc());
  auto record = dyn_cast<prof::RecordOp>(op.getOperation());
  std::optional<uint32_t> stage = record ? record.getStage() : std::nullopt;
  auto site = prof::SiteAttr::get(op.getContext(), op.getName(), kind, open.empty() ? -1 : open.back().site, place.file,
                                  place.line, stage ? int64_t(*stage) : -1, bool(op.getPayload()),
                                  record && record.getExclusive());
  auto [entry, isNew] = numbers.try_emplace(site, int64_t(sites.size()));
  if (isNew)
    sites.push_back(site);
  int64_t number = entry->second;
  if (number < prof::kMaxSites)
    op.setSite(number);
  else
    return op->emitError() << "a kernel can have " << prof::kMaxSites << " sites that the profiler records";
  return number;
}

LogicalResult SiteNumbers::close(prof::RecordOp end, size_t outer) {
  if (open.size() == outer)
    return end->emitError() << "the profiler's scope \"" << end.getName() << "\" ends here, but does not begin in this "
                            << "block";
  Scope scope = open.pop_back_val();
  if (scope.begin.getName() != end.getName() || scope.begin.getPred() != end.getPred()) {
    InFlightDiagnostic error = end->emitError() << "the profiler's scope \"" << end.getName()
                                                << "\" ends here, but the one that was begun last is \""
                                                << scope.begin.getName() << "\"";
    error.attachNote(scope.begin.getLoc()) << "which begins here";
    return error;
  }
  end.setSite(scope.site);
  return success();
}

LogicalResult SiteNumbers::visit(Operation &op, size_t outer) {
  if (auto begin = dyn_cast<prof::BeginOp>(op))
    return success(succeeded(add(begin, prof::SiteKind::Token)));
  auto record = dyn_cast<prof::RecordOp>(op);
  if (record && record.getKind() == prof::RecordKind::End)
    return close(record, outer);
  if (record) {
    FailureOr<int64_t> site = add(record, record.getSiteKind());
    if (succeeded(site) && record.getKind() == prof::RecordKind::Begin)
      open.push_back({record, *site});
    return success(succeeded(site));
  }
  SmallVector<Scope> outside;
  if (isa<hk::WorkerOp>(op))
    outside = std::exchange(open, {});
  for (Region &region : op.getRegions())
    if (failed(number(region)))
      return failure();
  if (isa<hk::WorkerOp>(op))
    open = std::move(outside);
  return success();
}

LogicalResult SiteNumbers::number(Block &block) {
  size_t outer = open.size();
  for (Operation &op : block)
    if (failed(visit(op, outer)))
      return failure();
  if (open.size() > outer)
    return open.back().begin->emitError() << "the profiler's scope \"" << open.back().begin.getName()
                                          << "\" does not end in the block where it begins";
  return success();
}

LogicalResult SiteNumbers::number(Region &region) {
  for (Block &block : region)
    if (failed(number(block)))
      return failure();
  return success();
}

namespace {
struct NumberSites : impl::NumberSitesBase<NumberSites> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!prof::configOf(module))
      return markAllAnalysesPreserved();
    SiteNumbers sites;
    if (failed(sites.number(module.getRegion())))
      return signalPassFailure();
    if (!sites.all().empty())
      prof::kSitesAttr.set(module, sites.all());
  }
};
} // namespace

} // namespace hocket
