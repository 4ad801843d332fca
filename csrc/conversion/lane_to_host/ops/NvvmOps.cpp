//===- NvvmOps.cpp - Converts NVVM operations to calls of the emulator ----------------===//
//
//   read.ptx.sreg.tid / ntid / ctaid / nctaid / laneid ...   fields of the lane context
//   shfl, vote, match, redux, elect, bar.warp                crossLane(lane, kind, value, a, b, members, site)
//   barrier0, barrier, barrier.arrive                        barrier calls
//   cluster.arrive, cluster.wait                             cluster_arrive, cluster_wait
//   mapa                                                     address in shared memory of another block of the cluster
//   fences                                                   a fence between host threads
//   setmaxregister, prefetch, griddepcontrol                 nothing: they change timing only
//
// PTX ISA 9.0, sections "Special Registers", "Parallel Synchronization and Communication Instructions".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::BarrierReduction;
using host_abi::BlockContext;
using host_abi::CrossLaneOp;
using host_abi::LaneContext;
using host_abi::SiteKind;

/// Returns the value of a special register; null if `op` does not read one that the emulator supports.
static Value readSpecialRegister(HostFunction &host, Operation *op) {
  Type i32 = host.builder.getI32Type();
  auto lane = [&](size_t offset) { return host.laneField(offset, i32); };
  auto block = [&](size_t offset) { return host.blockField(offset, i32); };
  auto masked = [&](auto combine) -> Value {
    Value bit = LLVM::ShlOp::create(host.builder, host.loc(), host.i32(1), lane(offsetof(LaneContext, lane)));
    return combine(bit);
  };
  auto below = [&](Value bit) -> Value { return LLVM::SubOp::create(host.builder, host.loc(), bit, host.i32(1)); };
  auto orWith = [&](Value a, Value b) -> Value { return LLVM::OrOp::create(host.builder, host.loc(), a, b); };
  auto complement = [&](Value a) -> Value { return LLVM::XOrOp::create(host.builder, host.loc(), a, host.i32(-1)); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NVVM::ThreadIdXOp) -> Value {
        Value thread = lane(offsetof(LaneContext, thread));
        return host.numCtas() == 1
                   ? thread
                   : LLVM::URemOp::create(host.builder, host.loc(), thread, host.i32(host.blockThreads()));
      })
      .Case<NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>([&](auto) { return host.i32(0); })
      .Case([&](NVVM::BlockDimXOp) { return block(offsetof(BlockContext, blockSize)); })
      .Case<NVVM::BlockDimYOp, NVVM::BlockDimZOp>([&](auto) { return host.i32(1); })
      .Case([&](NVVM::BlockIdXOp) { return block(offsetof(BlockContext, blockIndex[0])); })
      .Case([&](NVVM::BlockIdYOp) { return block(offsetof(BlockContext, blockIndex[1])); })
      .Case([&](NVVM::BlockIdZOp) { return block(offsetof(BlockContext, blockIndex[2])); })
      .Case([&](NVVM::GridDimXOp) { return block(offsetof(BlockContext, gridSize[0])); })
      .Case([&](NVVM::GridDimYOp) { return block(offsetof(BlockContext, gridSize[1])); })
      .Case([&](NVVM::GridDimZOp) { return block(offsetof(BlockContext, gridSize[2])); })
      .Case([&](NVVM::ClusterId) { return lane(offsetof(LaneContext, rank)); })
      .Case([&](NVVM::ClusterIdXOp) { return block(offsetof(BlockContext, blockIndex[0])); })
      .Case([&](NVVM::ClusterDimXOp) { return block(offsetof(BlockContext, gridSize[0])); })
      .Case([&](NVVM::LaneIdOp) { return lane(offsetof(LaneContext, lane)); })
      .Case([&](NVVM::WarpIdOp) { return lane(offsetof(LaneContext, warp)); })
      .Case([&](NVVM::WarpSizeOp) { return host.i32(host.warpSize()); })
      .Case([&](NVVM::LaneMaskEqOp) { return masked([](Value bit) { return bit; }); })
      .Case([&](NVVM::LaneMaskLtOp) { return masked(below); })
      .Case([&](NVVM::LaneMaskLeOp) { return masked([&](Value bit) { return orWith(bit, below(bit)); }); })
      .Case([&](NVVM::LaneMaskGtOp) { return masked([&](Value bit) { return complement(orWith(bit, below(bit))); }); })
      .Case([&](NVVM::LaneMaskGeOp) { return masked([&](Value bit) { return complement(below(bit)); }); })
      .Default([](Operation *) { return Value(); });
}

static Value crossLane(HostFunction &host, Operation *op, CrossLaneOp kind, Value value, Value a, Value b,
                       Value members) {
  auto widen = [&](Value operand) { return operand ? widenToI64(host, operand) : host.i64(0); };
  return calls::crossLane(host, kind, widen(value), widen(a), widen(b), widen(members),
                          host.site(op, {.kind = SiteKind::CrossLane}));
}

/// Returns bits 0..31 as `type` and bit 32 as a bool: the pair that shfl and match return.
static Value pairOf(HostFunction &host, Value bits, Type pairType, Type valueType) {
  OpBuilder &builder = host.builder;
  Value value = narrowFromI64(host, bits, valueType);
  Value flag = LLVM::TruncOp::create(builder, host.loc(), builder.getI1Type(),
                                     LLVM::LShrOp::create(builder, host.loc(), bits, host.i64(32)));
  Value pair = LLVM::UndefOp::create(builder, host.loc(), pairType);
  pair = LLVM::InsertValueOp::create(builder, host.loc(), pair, value, ArrayRef<int64_t>{0});
  return LLVM::InsertValueOp::create(builder, host.loc(), pair, flag, ArrayRef<int64_t>{1});
}

static void convertShuffle(HostFunction &host, NVVM::ShflOp op) {
  static constexpr CrossLaneOp kinds[] = {CrossLaneOp::ShuffleBfly, CrossLaneOp::ShuffleUp, CrossLaneOp::ShuffleDown,
                                          CrossLaneOp::ShuffleIdx};
  Value bits = crossLane(host, op, kinds[uint32_t(op.getKind())], op.getVal(), op.getOffset(), op.getMaskAndClamp(),
                         op.getThreadMask());
  Type type = op.getVal().getType();
  op.replaceAllUsesWith(op.getReturnValueAndIsValid() ? pairOf(host, bits, op.getType(), type)
                                                      : narrowFromI64(host, bits, type));
}

static void convertVote(HostFunction &host, NVVM::VoteSyncOp op) {
  static constexpr CrossLaneOp kinds[] = {CrossLaneOp::VoteAny, CrossLaneOp::VoteAll, CrossLaneOp::VoteBallot,
                                          CrossLaneOp::VoteUniform};
  Value bits = crossLane(host, op, kinds[uint32_t(op.getKind())], op.getPred(), nullptr, nullptr, op.getMask());
  op.replaceAllUsesWith(narrowFromI64(host, bits, op.getType()));
}

static void convertMatch(HostFunction &host, NVVM::MatchSyncOp op) {
  bool all = op.getKind() == NVVM::MatchSyncKind::all;
  Value bits = crossLane(host, op, all ? CrossLaneOp::MatchAll : CrossLaneOp::MatchAny, op.getVal(), nullptr, nullptr,
                         op.getThreadMask());
  Type i32 = host.builder.getI32Type();
  op.replaceAllUsesWith(all ? pairOf(host, bits, op.getType(), i32) : narrowFromI64(host, bits, i32));
}

static bool convertReduce(HostFunction &host, NVVM::ReduxOp op) {
  std::optional<CrossLaneOp> kind = [&]() -> std::optional<CrossLaneOp> {
    switch (op.getKind()) {
    case NVVM::ReduxKind::ADD:
      return CrossLaneOp::ReduceAdd;
    case NVVM::ReduxKind::AND:
      return CrossLaneOp::ReduceAnd;
    case NVVM::ReduxKind::OR:
      return CrossLaneOp::ReduceOr;
    case NVVM::ReduxKind::XOR:
      return CrossLaneOp::ReduceXor;
    case NVVM::ReduxKind::MAX:
      return CrossLaneOp::ReduceMax;
    case NVVM::ReduxKind::MIN:
      return CrossLaneOp::ReduceMin;
    case NVVM::ReduxKind::UMAX:
      return CrossLaneOp::ReduceUMax;
    case NVVM::ReduxKind::UMIN:
      return CrossLaneOp::ReduceUMin;
    default:
      return std::nullopt; // redux.sync of floats needs sm_100a
    }
  }();
  if (!kind)
    return false;
  Value bits = crossLane(host, op, *kind, op.getVal(), nullptr, nullptr, op.getMaskAndClamp());
  op.replaceAllUsesWith(narrowFromI64(host, bits, op.getType()));
  return true;
}

static void convertBarrier(HostFunction &host, NVVM::BarrierOp op) {
  Value id = op.getBarrierId() ? op.getBarrierId() : host.i32(0);
  Value threads = op.getNumberOfThreads() ? op.getNumberOfThreads() : host.i32(0);
  if (!op.getReductionOp())
    return callBarrier(host, op, id, threads);
  static constexpr BarrierReduction reductions[] = {BarrierReduction::Count, BarrierReduction::And,
                                                    BarrierReduction::Or};
  op.getRes().replaceAllUsesWith(calls::barrierReduce(host, id, threads, reductions[uint32_t(*op.getReductionOp())],
                                                      op.getReductionPredicate(),
                                                      host.site(op, {.kind = SiteKind::Barrier})));
}

static void convertArrive(HostFunction &host, NVVM::BarrierArriveOp op) {
  Value id = op.getBarrierId() ? op.getBarrierId() : host.i32(0);
  calls::barrierArrive(host, id, op.getNumberOfThreads(),
                       host.site(op, {.kind = SiteKind::Barrier, .message = nameOfBarrier(op)}));
}

/// Converts mapa. An address in the memory of a cluster has the block in its upper bits.
static void convertMapa(HostFunction &host, NVVM::MapaOp op) {
  OpBuilder &builder = host.builder;
  Value offset = LLVM::PtrToIntOp::create(builder, host.loc(), builder.getI64Type(), op.getA());
  Value rank = LLVM::ZExtOp::create(builder, host.loc(), builder.getI64Type(), op.getB());
  Value ofBlock = LLVM::AndOp::create(builder, host.loc(), offset, host.i64(host.sharedStride() - 1));
  Value start = LLVM::MulOp::create(builder, host.loc(), rank, host.i64(host.sharedStride()));
  Value place = LLVM::AddOp::create(builder, host.loc(), start, ofBlock);
  op.replaceAllUsesWith(LLVM::IntToPtrOp::create(builder, host.loc(), op.getType(), place).getResult());
}

Converted convertNvvmOp(HostFunction &host, Operation *op) {
  if (!isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()))
    return false;
  if (Value value = readSpecialRegister(host, op)) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return true;
  }
  if (isa<NVVM::RcpApproxFtzF32Op>(op)) {
    Type f32 = host.builder.getF32Type();
    Value one = LLVM::ConstantOp::create(host.builder, host.loc(), f32, host.builder.getF32FloatAttr(1));
    op->getResult(0).replaceAllUsesWith(LLVM::FDivOp::create(host.builder, host.loc(), one, op->getOperand(0)));
    op->erase();
    return true;
  }
  bool known = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::ShflOp shuffle) { convertShuffle(host, shuffle); })
      .Case([&](NVVM::VoteSyncOp vote) { convertVote(host, vote); })
      .Case([&](NVVM::MatchSyncOp match) { convertMatch(host, match); })
      .Case([&](NVVM::ReduxOp reduce) { known = convertReduce(host, reduce); })
      .Case([&](NVVM::ElectSyncOp elect) {
        Value members = elect.getMembermask() ? elect.getMembermask() : host.i32(-1);
        Value bits = crossLane(host, op, CrossLaneOp::Elect, nullptr, nullptr, nullptr, members);
        elect.getPred().replaceAllUsesWith(narrowFromI64(host, bits, host.builder.getI1Type()));
      })
      .Case([&](NVVM::SyncWarpOp sync) {
        crossLane(host, op, CrossLaneOp::WarpSync, nullptr, nullptr, nullptr, sync.getMask());
      })
      .Case([&](NVVM::Barrier0Op) { callBarrier(host, op, 0, 0); })
      .Case([&](NVVM::BarrierOp barrier) { convertBarrier(host, barrier); })
      .Case([&](NVVM::BarrierArriveOp arrive) { convertArrive(host, arrive); })
      .Case(
          [&](NVVM::ClusterArriveOp) { calls::clusterArrive(host, false, host.site(op, {.kind = SiteKind::Barrier})); })
      .Case([&](NVVM::ClusterArriveRelaxedOp) {
        calls::clusterArrive(host, true, host.site(op, {.kind = SiteKind::Barrier}));
      })
      .Case([&](NVVM::ClusterWaitOp) { calls::clusterWait(host, host.site(op, {.kind = SiteKind::Barrier})); })
      .Case([&](NVVM::MapaOp mapa) { convertMapa(host, mapa); })
      .Case([&](NVVM::NanosleepOp) { calls::tick(host); })
      .Case<NVVM::MembarOp, NVVM::FenceScClusterOp>(
          [&](auto) { LLVM::FenceOp::create(host.builder, host.loc(), LLVM::AtomicOrdering::seq_cst, StringRef()); })
      .Case<NVVM::SetMaxRegisterOp, NVVM::PrefetchOp, NVVM::GriddepcontrolOp, NVVM::FenceProxyReleaseOp,
            NVVM::FenceProxyAcquireOp>([](auto) {})
      .Default([&](Operation *) { known = false; });
  if (!known)
    return false;
  op->erase();
  return true;
}

} // namespace hocket
