//===- CopiesToShared.cpp - Converts asynchronous copies to shared memory -----------------===//
//
//   rocdl.global.load.lds, load.to.lds    copy(lane, counter, source + offset, true, target + offset, sites, after)
//   rocdl.raw.ptr.buffer.load.lds         copy, of zeros beyond the end of the buffer
//   nvvm.cp.async.shared.global           copy, of zeros if 0 bytes are read, with a destination for each lane
//   lane.async_commit_group               commit(lane, counter, site)
//   lane.async_wait_group                 wait(lane, counter, outstanding, site, false)
//
// All copies complete on the counter CopyGroups.
//
// The runtime call for a copy has an argument that describes the next operation. The lanes of a warp therefore converge
// only once for a batch of copies and the commit after the batch.
//
// On AMD, a lane copies 4 bytes, or on CDNA4 also 12 or 16 bytes. An immediate offset is added to the source address
// and to the target address.
//
// A lane that a mask excludes from a copy branches around the copy. In a loop, a lane must not reach the copy of a
// later iteration before other lanes have executed the copy of the current iteration. Therefore the warp converges at
// the program point where the branches join, unless every path to that point contains the copy.
//
// PTX ISA 9.0, "cp.async"; "AMD Instinct MI300" and "CDNA4" ISA guides, "Memory Buffer Load to LDS".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/Rows.h"

#include "conversion/lane_to_llvm/CopyWidth.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace hocket {

using host_abi::AfterCopy;
using host_abi::CopyCounter;
using host_abi::SiteKind;
using host_abi::SiteNumber;

namespace {

/// Batches of copies that one rendezvous starts, together with the commit after each batch.
struct CopyBatches {
  llvm::DenseSet<Operation *> commits; ///< commits that the call for the preceding copy includes
  unsigned pending = 0;                ///< number of copies in the batch of the next copy, so far
};

struct Copy {
  CopyCounter counter;
  Value source;   ///< pointer to the copied bytes in global memory
  Value isInside; ///< i1; if false, the copy writes zeros
  Value base;     ///< pointer from which the source is computed
  Value destination;
  int64_t bytes = 0;  ///< number of bytes that each lane copies
  int64_t offset = 0; ///< immediate offset, in bytes, of the destination
  bool apart = false; ///< true if each lane passes its own destination
};

} // namespace

static bool isCopy(Operation *op) {
  return isa<ROCDL::GlobalLoadLDSOp, ROCDL::LoadToLDSOp, ROCDL::RawPtrBufferLoadLdsOp, NVVM::CpAsyncOp>(op);
}

/// Returns the kind of the operation that follows the copy `op`.
static AfterCopy afterCopy(CopyBatches &batches, Operation *op) {
  constexpr unsigned kMostCopies = 32;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isCopy(next) && ++batches.pending < kMostCopies)
      return AfterCopy::Copy;
    if (isa<lane::AsyncCommitGroupOp>(next)) {
      batches.pending = 0;
      batches.commits.insert(next);
      return AfterCopy::Commit;
    }
    if (!isArithmeticOfLane(next) && !isa<ROCDL::MakeBufferRsrcOp>(next))
      break;
  }
  batches.pending = 0;
  return AfterCopy::Other;
}

static void emitCopy(HostFunction &host, CopyBatches &batches, Operation *op, const Copy &copy) {
  OpBuilder &builder = host.builder;
  Location loc = host.loc();
  SiteNumber readSite = host.sites.add(op, {.kind = SiteKind::Read,
                                            .bytes = copy.bytes,
                                            .alignment = copy.bytes,
                                            .argument = host.parameters.originOf(copy.base)});
  SiteNumber writeSite =
      host.sites.add(op, {.kind = SiteKind::SharedCopy, .bytes = copy.bytes, .alignment = copy.bytes});
  Value place = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), copy.destination);
  if (copy.offset)
    place = LLVM::AddOp::create(builder, loc, place, host.i64(copy.offset));
  calls::copyToShared(host, copy.counter, copy.source, copy.isInside, place, readSite, writeSite, copy.apart,
                      afterCopy(batches, op));
}

static LogicalResult convertGlobal(HostFunction &host, CopyBatches &batches, Operation *op, Value source,
                                   Value destination, int64_t bytes, int64_t offset) {
  if (failed(checkCopyWidth(op, bytes, host.block.target)))
    return failure();
  OpBuilder &builder = host.builder;
  Value from = source;
  if (offset)
    from = LLVM::GEPOp::create(builder, host.loc(), source.getType(), builder.getI8Type(), source,
                               ValueRange{host.i64(offset)});
  emitCopy(host, batches, op, {CopyCounter::CopyGroups, from, host.i1(true), source, destination, bytes, offset});
  return success();
}

static FailureOr<int64_t> constantOf(Operation *op, Value value, StringRef name) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return op->emitError("the emulator runs ") << op->getName() << " only with a constant " << name;
  return number.getSExtValue();
}

static LogicalResult convertBuffer(HostFunction &host, CopyBatches &batches, ROCDL::RawPtrBufferLoadLdsOp op) {
  FailureOr<int64_t> bytes = constantOf(op, op.getSize(), "size");
  FailureOr<int64_t> offset = constantOf(op, op.getOffset(), "offset");
  if (failed(bytes) || failed(offset) || failed(checkCopyWidth(op, *bytes, host.block.target)))
    return failure();
  FailureOr<BufferAddress> from =
      bufferAddress(host, op, op.getRsrc(), op.getVoffset(), op.getSoffset(), *offset, *bytes);
  if (failed(from))
    return failure();
  Value base = op.getRsrc().getDefiningOp<ROCDL::MakeBufferRsrcOp>().getBase();
  emitCopy(host, batches, op,
           {CopyCounter::CopyGroups, from->pointer, from->isInside, base, op.getLdsPtr(), *bytes, *offset});
  return success();
}

/// Converts cp.async, in which a lane reads either all of its bytes or none.
static LogicalResult convertCpAsync(HostFunction &host, CopyBatches &batches, NVVM::CpAsyncOp op) {
  OpBuilder &builder = host.builder;
  Value isInside = host.i1(true);
  if (Value read = op.getCpSize()) {
    auto isAllOrNothing = [&](Value value) {
      APInt number;
      return matchPattern(value, m_ConstantInt(&number)) && (number == 0 || number == op.getSize());
    };
    auto select = read.getDefiningOp<LLVM::SelectOp>();
    if (!(select ? isAllOrNothing(select.getTrueValue()) && isAllOrNothing(select.getFalseValue())
                 : isAllOrNothing(read)))
      return op->emitError("the emulator runs ")
             << op->getName() << " only if each lane reads either all bytes or none";
    isInside = LLVM::ICmpOp::create(builder, host.loc(), LLVM::ICmpPredicate::ne, read, host.i32(0));
  }
  emitCopy(host, batches, op,
           {.counter = CopyCounter::CopyGroups,
            .source = op.getSrc(),
            .isInside = isInside,
            .base = op.getSrc(),
            .destination = op.getDst(),
            .bytes = op.getSize(),
            .apart = true});
  return success();
}

static void convertCommit(HostFunction &host, CopyBatches &batches, Operation *op, CopyCounter counter) {
  if (!batches.commits.contains(op))
    calls::commitCopies(host, counter, host.sites.add(op, {.kind = SiteKind::Barrier}));
}

static void convertWait(HostFunction &host, Operation *op, CopyCounter counter, uint32_t outstanding) {
  calls::waitForCopies(host, counter, outstanding, host.sites.add(op, {.kind = SiteKind::Barrier}),
                       /*atBarrier=*/false);
}

void addCopiesToShared(OpConversions &table) {
  auto batches = std::make_shared<CopyBatches>();
  auto convertLoad = [batches](HostFunction &host, auto load) {
    return convertGlobal(host, *batches, load, load.getGlobalPtr(), load.getLdsPtr(), load.getSize(), load.getOffset());
  };
  table.add([=](HostFunction &host, ROCDL::GlobalLoadLDSOp load) { return convertLoad(host, load); });
  table.add([=](HostFunction &host, ROCDL::LoadToLDSOp load) { return convertLoad(host, load); });
  table.add([=](HostFunction &host, ROCDL::RawPtrBufferLoadLdsOp load) { return convertBuffer(host, *batches, load); });
  table.add([=](HostFunction &host, NVVM::CpAsyncOp copy) { return convertCpAsync(host, *batches, copy); });
  table.add([=](HostFunction &host, lane::AsyncCommitGroupOp commit) {
    convertCommit(host, *batches, commit, CopyCounter::CopyGroups);
  });
  table.add([](HostFunction &host, lane::AsyncWaitGroupOp wait) {
    convertWait(host, wait, CopyCounter::CopyGroups, wait.getOutstanding());
  });
}

/// True if lanes can reach `join` on a path without the copies in `copies`. `join` is a successor of `copies`.
static bool isReachedAround(Block *copies, Block *join, DominanceInfo &dominance) {
  return llvm::any_of(join->getPredecessors(), [&](Block *from) {
    if (dominance.dominates(copies, from))
      return false;
    bool entersLoopOfCopy = dominance.dominates(join, copies) && !dominance.dominates(join, from);
    return !entersLoopOfCopy;
  });
}

void gatherAfterCopies(HostFunction &host) {
  std::optional<DominanceInfo> dominance;
  for (Block &block : host.function().getBody()) {
    auto branch = dyn_cast<LLVM::BrOp>(block.getTerminator());
    Block *join = branch ? branch.getDest() : nullptr;
    if (!join || join->getSinglePredecessor() || llvm::none_of(block, [](Operation &op) { return isCopy(&op); }))
      continue;
    if (!dominance)
      dominance.emplace(host.function());
    if (calls::gather.match(&join->front()) || !isReachedAround(&block, join, *dominance))
      continue;
    host.at(&join->front());
    calls::gather(host);
  }
}

} // namespace hocket
