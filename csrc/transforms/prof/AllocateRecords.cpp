//===- AllocateRecords.cpp - Allocates the record buffer of a profiled kernel ---------===//
//
// Input:   tile IR with numbered records, with offsets in shared memory, and with each worker as a separate function.
// Output:  the kernel with prof.buffer_alloc, init, finalize and buffer_dealloc; the module with prof.facts.
// Method:  the buffer is in device memory, unless the configuration requests shared memory, or shared memory costs
//          nothing. Shared memory costs nothing if the buffer does not reduce the number of blocks per SM, and if the
//          block already uses shared memory; otherwise, the buffer would reduce the L1 cache. By default, profiling
//          therefore never changes the occupancy. A buffer in shared memory must also hold enough records to cover the
//          steady state of a loop.
// Position: after OutlineWorkers, which decides the number of warps of a block; before hk_to_lane, which creates the
//          global variable for shared memory.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/prof/ProfConfig.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/ReserveMemory.h"
#include "transforms/prof/Passes.h"
#include "transforms/prof/RecordFacts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_ALLOCATERECORDS
#include "transforms/prof/Passes.h.inc"

/// Default number of bytes per unit (recorded warp) in device memory, and default maximum number of bytes of all units
/// of a block in shared memory.
static constexpr int64_t kDeviceBytesPerUnit = 8192, kSharedBytesOfBlock = 4096;
/// Minimum number of bytes per unit for which shared memory is used by default. Fewer than 64 records would cover only
/// the last iterations of a loop.
static constexpr int64_t kFewestSharedBytes = 512;
/// Default number of bytes per unit in device memory if full segments are flushed, enough for 32,768 records. If
/// records are lost, the profiling session reports how many bytes would have sufficed.
static constexpr int64_t kFlushedBytesPerUnit = 256 * 1024;
/// Name of the scope in which a warp flushes its records to device memory.
static constexpr StringLiteral kFlushSite = "flush";
/// Maximum size of a static variable for the records of all blocks. The variable occupies memory as long as the module
/// is loaded.
static constexpr int64_t kMostStaticBytes = int64_t(1) << 30;

static SmallVector<int32_t> warpsOf(prof::ConfigAttr config, int blockWarps) {
  SmallVector<int32_t> warps;
  int step = config.getUnits() == prof::Units::Warp ? 1 : 4;
  int end = config.getUnits() == prof::Units::Cta ? 1 : blockWarps;
  for (int warp = 0; warp < end; warp += step)
    if (config.getWarps().empty() || llvm::is_contained(config.getWarps(), warp))
      warps.push_back(warp);
  return warps;
}

/// Returns the first warp that `config` selects and that is not in `warps`; nullopt if there is none.
static std::optional<int64_t> missingWarp(prof::ConfigAttr config, ArrayRef<int32_t> warps) {
  for (int64_t warp : config.getWarps())
    if (!llvm::is_contained(warps, warp))
      return warp;
  return std::nullopt;
}

/// Returns the number of bytes of shared memory for the records of all units and the dummy records.
static int64_t sharedBytes(int64_t units, int64_t bytesPerUnit, int blockWarps) {
  return units * bytesPerUnit + blockWarps * prof::kSpareBytes;
}

/// Returns the number of bytes per unit for a buffer in shared memory. Returns 0 if the buffer would lower the number
/// of blocks per SM or reduce the L1 cache, would exceed kSharedBytesOfBlock, or would hold too few records.
static int64_t freeSharedBytes(ModuleOp module, prof::ConfigAttr config, int64_t units, int blockWarps) {
  const int64_t used = hk::kSharedBytesAttr.get(module).value_or(0), all = hk::targetOf(module).maxSharedBytes;
  int64_t bytes =
      config.getBytes() ? config.getBytes() : int64_t(llvm::bit_floor(uint64_t(kSharedBytesOfBlock / units)));
  const int64_t alignment = hk::SharedSpaceAttr::get(module.getContext()).getAlignment();
  const int64_t with = llvm::alignTo(llvm::alignTo(used, alignment) + sharedBytes(units, bytes, blockWarps), alignment);
  bool isEnough = config.getBytes() || bytes >= kFewestSharedBytes;
  bool costsNothing = used > 0 && units * bytes <= kSharedBytesOfBlock && with <= all && all / used == all / with;
  return isEnough && costsNothing ? bytes : 0;
}

static FailureOr<RecordPlan> planRecords(func::FuncOp kernel, prof::ConfigAttr config) {
  auto module = kernel->getParentOfType<ModuleOp>();
  RecordPlan plan;
  plan.blockWarps = hk::blockWarpsOf(module);
  plan.warps = warpsOf(config, plan.blockWarps);
  if (std::optional<int64_t> missing = missingWarp(config, plan.warps)) {
    InFlightDiagnostic error = kernel->emitError()
                               << "the profiler selects warp " << *missing << ", but a block of this kernel has "
                               << plan.blockWarps << (plan.blockWarps == 1 ? " warp" : " warps");
    if (*missing < plan.blockWarps)
      error << ", and units=\"" << stringifyUnits(config.getUnits()) << "\" does not include this warp";
    error.attachNote() << "hint: leave out the selection of warps, or choose among 0 to " << plan.blockWarps - 1;
    return error;
  }
  auto units = int64_t(plan.warps.size());
  plan.space = config.getSpace();
  plan.bytesPerUnit = config.getBytes();
  if (config.getPolicy() == prof::Policy::Flush) {
    plan.space = prof::Space::Device;
    plan.stagingBytes = prof::stagingBytes(hk::targetOf(module).warpSize);
    plan.bytesPerUnit = std::max(plan.bytesPerUnit ? plan.bytesPerUnit : kFlushedBytesPerUnit, plan.stagingBytes);
    plan.note = "records in shared memory, flushed to device memory, which can hold " +
                std::to_string(plan.bytesPerUnit / prof::kRecordBytes) + " records for each warp";
  } else if (plan.space == prof::Space::Auto) {
    int64_t bytes = freeSharedBytes(module, config, units, plan.blockWarps);
    plan.space = bytes ? prof::Space::Shared : prof::Space::Device;
    plan.bytesPerUnit = bytes ? bytes : plan.bytesPerUnit;
    plan.note = bytes ? "records in shared memory: the number of blocks per SM stays the same"
                      : "records in device memory: in shared memory, they would reduce the number of blocks per SM or "
                        "the L1 cache, or only few would fit";
  }
  if (!plan.bytesPerUnit) {
    plan.bytesPerUnit = plan.space == prof::Space::Shared
                            ? int64_t(llvm::bit_floor(uint64_t(std::max(kSharedBytesOfBlock / units, int64_t(16)))))
                            : kDeviceBytesPerUnit;
    plan.note += (plan.note.empty() ? "" : "; ") + std::to_string(plan.bytesPerUnit / prof::kRecordBytes) +
                 " records for each warp";
  }
  if (plan.space == prof::Space::Static) {
    int64_t mostBlocks = kMostStaticBytes / prof::bytesPerCta(units, plan.bytesPerUnit);
    if (config.getMaxCtas() > mostBlocks) {
      InFlightDiagnostic error = kernel->emitError()
                                 << "the records of " << config.getMaxCtas()
                                 << " blocks do not fit into a static variable, which can hold the records of "
                                 << mostBlocks << " blocks";
      error.attachNote() << "hint: lower max_blocks or bytes_per_warp, or leave out buffer=\"static\"";
      return error;
    }
    plan.symbol = (kernel.getName() + "_profile").str();
  }
  return plan;
}

/// Appends a #prof.site for flushes to the module's list of sites. Returns the number of the appended site.
static FailureOr<int64_t> addFlushSite(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  SmallVector<prof::SiteAttr, 4> sites = prof::kSitesAttr.get(module);
  auto number = int64_t(sites.size());
  if (number >= prof::kMaxSites)
    return kernel->emitError() << "a kernel can have " << prof::kMaxSites
                               << " sites that the profiler records, one of them for flushes";
  sites.push_back(prof::SiteAttr::get(module.getContext(), kFlushSite, prof::SiteKind::Flush, /*parent=*/-1,
                                      /*file=*/"", /*line=*/0, /*stage=*/-1, /*payload=*/false, /*exclusive=*/false));
  prof::kSitesAttr.set(module, sites);
  return number;
}

/// Reserves shared memory for the buffer that `alloc` allocates, with `bytes` bytes of records for each unit.
static LogicalResult reserveShared(prof::BufferAllocOp alloc, const RecordPlan &plan, int64_t bytes, StringRef hint) {
  auto module = alloc->getParentOfType<ModuleOp>();
  ReservedPart part{alloc.getLoc(),
                    "records of the profiler",
                    "the profiler's records",
                    0,
                    sharedBytes(int64_t(plan.warps.size()), bytes, plan.blockWarps),
                    hint.str()};
  FailureOr<int64_t> offset =
      reserveMemory(module, hk::SharedSpaceAttr::get(module.getContext()), part, 2 * prof::kRecordBytes);
  if (succeeded(offset))
    alloc.setOffset(*offset);
  return success(succeeded(offset));
}

static LogicalResult allocate(func::FuncOp kernel, prof::ConfigAttr config) {
  auto module = kernel->getParentOfType<ModuleOp>();
  FailureOr<RecordPlan> plan = planRecords(kernel, config);
  if (failed(plan))
    return failure();
  OpBuilder builder(&kernel.getBody().front(), kernel.getBody().front().begin());
  auto units = int64_t(plan->warps.size());
  auto type = hk::MemDescType::get({units, plan->bytesPerUnit / 4}, builder.getI32Type(),
                                   prof::RecordsAttr::get(module.getContext(), plan->space));
  Location loc = kernel.getLoc();
  auto alloc = prof::BufferAllocOp::create(
      builder, loc, type, plan->warps, plan->symbol.empty() ? StringAttr() : builder.getStringAttr(plan->symbol),
      /*staging=*/IntegerAttr(), /*flush_site=*/IntegerAttr(), /*offset=*/IntegerAttr());
  if (plan->space == prof::Space::Shared &&
      failed(reserveShared(alloc, *plan, plan->bytesPerUnit,
                           "fewer bytes for each warp, fewer warps, or device memory for the records")))
    return failure();
  if (plan->stagingBytes) {
    FailureOr<int64_t> site = addFlushSite(kernel);
    if (failed(site) || failed(reserveShared(alloc, *plan, plan->stagingBytes,
                                             "fewer warps, or device memory for the records, without flushes")))
      return failure();
    alloc.setStaging(int32_t(plan->stagingBytes));
    alloc.setFlushSite(uint32_t(*site));
  }
  prof::InitOp::create(builder, loc, alloc);
  kernel.walk([&](func::ReturnOp end) {
    builder.setInsertionPoint(end);
    prof::FinalizeOp::create(builder, loc, alloc);
    prof::BufferDeallocOp::create(builder, loc, alloc);
  });
  prof::kFactsAttr.set(module, writeFacts(module, config, *plan));
  prof::kBlockBytesAttr.set(module, prof::bytesPerCta(units, plan->bytesPerUnit));
  if (!plan->symbol.empty()) {
    prof::kVariableAttr.set(module, plan->symbol);
    prof::kBlocksAttr.set(module, config.getMaxCtas());
  }
  return success();
}

static bool records(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<prof::RecordOp, prof::BeginOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct AllocateRecords : impl::AllocateRecordsBase<AllocateRecords> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    prof::ConfigAttr config = prof::configOf(module);
    if (!config || !records(module))
      return markAllAnalysesPreserved();
    if (failed(hk::requireFacts(module)))
      return signalPassFailure();
    for (auto kernel : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (kernel.isPublic() && !kernel.isExternal() && failed(allocate(kernel, config)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
