//===- ConvertProfToLlvm.cpp - Lowers the profiler's records to lane form -----------------------===//
//
// Input:   lane form of one kernel, in which all partitions have been merged into one function and records are
//          expanded.
// Output:  lane form without operations of the dialect `prof`. The buffer of records is the last implicit argument. A
//          static buffer of prof.buffer_alloc is a variable of the module.
// Method:  LaneRecords.h. Values that all warps of a kernel need are computed at the beginning of the kernel, before
//          partitions diverge. A return without a preceding prof.finalize is the return of a worker, which
//          JoinPartitions has created.
//
// A static buffer is zero when the module is loaded. All launches use the same buffer, which the host clears between
// launches. The variable is public, because LLVM would remove stores to a private variable that is never read.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/prof_to_llvm/LaneRecords.h"
#include "conversion/prof_to_llvm/PairRecords.h"
#include "conversion/prof_to_llvm/Passes.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ImplicitArguments.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "dialect/prof/ProfConfig.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTPROFTOLLVM
#include "conversion/prof_to_llvm/ConvertProfToLlvm.h.inc"

static constexpr unsigned kGlobalSpace = 1;

/// Finds the returns of workers: the returns that no prof.finalize precedes.
static llvm::DenseSet<Operation *> returnsOfWorkers(LLVM::LLVMFuncOp kernel) {
  DominanceInfo dominance(kernel);
  SmallVector<prof::FinalizeOp> ends;
  kernel.walk([&](prof::FinalizeOp end) { ends.push_back(end); });
  llvm::DenseSet<Operation *> returns;
  kernel.walk([&](LLVM::ReturnOp leave) {
    if (llvm::none_of(ends, [&](prof::FinalizeOp end) { return dominance.properlyDominates(end, leave); }))
      returns.insert(leave);
  });
  return returns;
}

/// Maximum number of records between two checks for a full segment. At most one segment may become full between two
/// checks, and the smallest segment has 32 records.
static constexpr int kRecordsOfCheck = 8;

/// Finds the records after which staged records are checked: the last record of each basic block, and every eighth
/// record.
static llvm::DenseSet<Operation *> recordsBeforeChecks(LLVM::LLVMFuncOp kernel) {
  llvm::DenseSet<Operation *> checks;
  for (Block &block : kernel.getBody()) {
    Operation *last = nullptr;
    int unchecked = 0;
    for (auto store : block.getOps<prof::StoreRecordOp>()) {
      last = store;
      if (++unchecked == kRecordsOfCheck) {
        checks.insert(store);
        unchecked = 0;
      }
    }
    if (last)
      checks.insert(last);
  }
  return checks;
}

/// Marks all created operations as operations of the profiler.
namespace {
struct Untimed : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override {
    if (!previous.isSet())
      lane::kUntimedAttr.set(op);
  }
};
} // namespace

static int64_t bytesPerCta(prof::BufferAllocOp alloc) {
  ArrayRef<int64_t> shape = cast<hk::MemDescType>(alloc.getType()).getShape();
  return prof::bytesPerCta(shape[0], shape[1] * 4);
}

/// Appends the buffer as an argument of the kernel. FunctionOpInterface::insertArgument cannot be used, because it
/// fails for LLVM functions without a result.
static Value appendBuffer(LLVM::LLVMFuncOp kernel, prof::BufferAllocOp alloc) {
  Builder builder(kernel.getContext());
  auto what = hk::ImplicitAttr::get(kernel.getContext(), hk::ImplicitKind::Scratch, 0, bytesPerCta(alloc));
  auto facts = builder.getDictionaryAttr(
      {builder.getNamedAttr(hk::kImplicitAttr.getName(), what),
       builder.getNamedAttr(prof::kBufferAttr.getName(), builder.getUnitAttr()),
       builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(hk::kImplicitAlignment))});
  SmallVector<Attribute> allFacts(kernel.getNumArguments(), builder.getDictionaryAttr({}));
  if (ArrayAttr given = kernel.getAllArgAttrs())
    llvm::copy(given, allFacts.begin());
  auto pointer = LLVM::LLVMPointerType::get(kernel.getContext(), kGlobalSpace);
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.push_back(pointer);
  allFacts.push_back(facts);
  Value buffer = kernel.getBody().addArgument(pointer, kernel.getLoc());
  kernel.setFunctionType(LLVM::LLVMFunctionType::get(kernel.getFunctionType().getReturnType(), types));
  kernel.setAllArgAttrs(allFacts);
  return buffer;
}

static Value makeVariable(LLVM::LLVMFuncOp kernel, prof::BufferAllocOp alloc, int64_t maxCtas) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), uint64_t(bytesPerCta(alloc) * maxCtas));
  auto variable = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/false, LLVM::Linkage::External,
                                         *alloc.getSymbol(), Attribute(), hk::kImplicitAlignment, kGlobalSpace);
  builder.createBlock(&variable.getInitializerRegion());
  LLVM::ReturnOp::create(builder, loc, ValueRange(LLVM::ZeroOp::create(builder, loc, type)));
  builder.setInsertionPointToStart(&kernel.getBody().front());
  return LLVM::AddressOfOp::create(builder, loc, variable);
}

static LogicalResult convert(LLVM::LLVMFuncOp kernel, prof::BufferAllocOp alloc, const TargetLowering &lowering,
                             const Clocks &clocks) {
  auto module = kernel->getParentOfType<ModuleOp>();
  prof::ConfigAttr config = prof::configOf(module);
  Value buffer = alloc.getSymbol() ? makeVariable(kernel, alloc, config.getMaxCtas()) : appendBuffer(kernel, alloc);
  Untimed untimed;
  IRRewriter rewriter(kernel.getContext(), &untimed);
  // With keep_first, index 0 holds the first record, so that the whole buffer is used.
  const RecordPairs pairs = findRecordPairs(kernel, config.getPolicy() == prof::Policy::KeepFirst ? 0 : 1);
  llvm::DenseMap<Operation *, prof::StoreRecordOp> firstOf;
  for (auto [first, second] : pairs.secondOf)
    firstOf[second] = cast<prof::StoreRecordOp>(first);
  LaneRecords records(rewriter, kernel, alloc, config, lowering, clocks, buffer, pairs.firstIndex);

  llvm::DenseSet<Operation *> leaves = returnsOfWorkers(kernel);
  SmallVector<Operation *> ops, outrun;
  kernel.walk([&](Operation *op) {
    if (clocks.outruns(op))
      outrun.push_back(op);
    if (isa<prof::ProfDialect>(op->getDialect()) || leaves.contains(op))
      ops.push_back(op);
  });
  const llvm::DenseSet<Operation *> checks = recordsBeforeChecks(kernel);
  for (Operation *op : outrun) {
    rewriter.setInsertionPointAfter(op);
    lowering.warpBarrier(rewriter, op->getLoc());
  }
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto store = dyn_cast<prof::StoreRecordOp>(op)) {
      if (pairs.secondOf.contains(op))
        continue; // the store of the pair's second record also writes this record
      prof::StoreRecordOp first = firstOf.lookup(op);
      records.write(store, first, checks.contains(op) || (first && checks.contains(first)));
    } else if (auto clock = dyn_cast<prof::ReadClockOp>(op)) {
      // The barrier prevents the back end from scheduling operations across the clock read.
      lowering.schedBarrier(rewriter, op->getLoc(), 0);
      Value now = clocks.cycles(rewriter, op->getLoc(), clock.getType());
      lowering.schedBarrier(rewriter, op->getLoc(), 0);
      rewriter.replaceOp(clock, now);
    } else if (isa<prof::InitOp>(op)) {
      records.writeBeginning();
    } else if (isa<prof::FinalizeOp>(op)) {
      records.writeEnd(/*isKernels=*/true);
    } else if (isa<LLVM::ReturnOp>(op)) {
      records.writeEnd(/*isKernels=*/false);
    }
  }
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
    rewriter.eraseOp(user);
  rewriter.eraseOp(alloc);
  return records.promoteNumber();
}

namespace {
struct ConvertProfToLlvm : impl::ConvertProfToLlvmBase<ConvertProfToLlvm> {
  ConvertProfToLlvm(TargetLoweringFactory lowering, ClocksFactory clocks)
      : createLowering(std::move(lowering)), createClocks(std::move(clocks)) {}

  static bool isShared(prof::BufferAllocOp alloc) {
    auto layout = cast<prof::RecordsAttr>(cast<hk::MemDescType>(alloc.getType()).getLayout());
    return layout.getSpace() == prof::Space::Shared;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<prof::BufferAllocOp> buffers;
    module.walk([&](prof::BufferAllocOp alloc) { buffers.push_back(alloc); });
    if (buffers.empty())
      return markAllAnalysesPreserved();
    if (!prof::configOf(module) || failed(hk::requireFacts(module))) {
      emitError(buffers.front().getLoc(), "prof.buffer_alloc needs prof.config on the module");
      return signalPassFailure();
    }
    for (prof::BufferAllocOp alloc : buffers)
      if ((isShared(alloc) || alloc.getStaging()) && !alloc.getOffset()) {
        alloc.emitOpError("was given no shared memory; run hocket-allocate-memory first");
        return signalPassFailure();
      }
    const TargetInfo &target = hk::targetOf(module);
    std::unique_ptr<TargetLowering> lowering = createLowering(target);
    std::unique_ptr<Clocks> clocks = createClocks(target);
    for (prof::BufferAllocOp alloc : buffers)
      if (failed(convert(alloc->getParentOfType<LLVM::LLVMFuncOp>(), alloc, *lowering, *clocks)))
        return signalPassFailure();
  }

private:
  TargetLoweringFactory createLowering;
  ClocksFactory createClocks;
};
} // namespace

std::unique_ptr<Pass> createConvertProfToLlvmPass(TargetLoweringFactory lowering, ClocksFactory clocks) {
  return std::make_unique<ConvertProfToLlvm>(std::move(lowering), std::move(clocks));
}

} // namespace hocket
