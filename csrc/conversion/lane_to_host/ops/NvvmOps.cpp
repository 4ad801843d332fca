//===- NvvmOps.cpp - Converts NVVM operations to calls of the emulator ----------------===//
//
//   read.ptx.sreg.tid / ntid / ctaid / nctaid / laneid ...   fields of the lane context
//   shfl, vote, match, redux, elect, bar.warp                crossLane(lane, kind, value, a, b, members, site)
//   barrier0, barrier, barrier.arrive                        barrier calls
//   cluster.arrive, cluster.wait                             cluster_arrive, cluster_wait
//   mapa                                                     address in shared memory of another block of the cluster
//   convert.f32x2.to.f8x2                                    integer arithmetic
//   fences                                                   a fence between host threads
//   setmaxregister, prefetch, griddepcontrol                 nothing: they change timing only
//
// PTX ISA 9.0, sections "Special Registers", "Parallel Synchronization and Communication Instructions".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "conversion/hk_to_lane/math/Float8.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {

using host_abi::BarrierReduction;
using host_abi::BlockContext;
using host_abi::CrossLaneOp;
using host_abi::LaneContext;
using host_abi::SiteKind;

/// Functions that add the conversion of a special register to a load of a field of LaneContext or BlockContext.
template <typename OpT>
static void addLaneField(OpConversions &table, size_t offset) {
  table.add([=](HostFunction &host, OpT) { return host.laneField(offset, host.builder.getI32Type()); });
}
template <typename OpT>
static void addBlockField(OpConversions &table, size_t offset) {
  table.add([=](HostFunction &host, OpT) { return host.blockField(offset, host.builder.getI32Type()); });
}
template <typename OpT>
static void addConstant(OpConversions &table, int64_t value) {
  table.add([=](HostFunction &host, OpT) { return host.i32(value); });
}
/// Adds a special register that is a mask of lanes. `lower`, `own` and `upper` are true if the mask contains the lanes
/// with lower indices, the lane itself, and the lanes with higher indices.
template <typename OpT>
static void addLaneMask(OpConversions &table, bool lower, bool own, bool upper) {
  table.add([=](HostFunction &host, OpT) {
    Value number = host.laneField(offsetof(LaneContext, lane), host.builder.getI32Type());
    Value mask = LLVM::ShlOp::create(host.builder, host.loc(), host.i32(1), number);
    if (lower == upper) // the mask contains only the lane itself
      return mask;
    Value below = LLVM::SubOp::create(host.builder, host.loc(), mask, host.i32(1));
    // Computes the mask from the mask of the lower lanes: adds the lane itself if needed, then complements the mask if
    // needed.
    Value part = own == lower ? LLVM::OrOp::create(host.builder, host.loc(), mask, below).getResult() : below;
    return lower ? part : LLVM::XOrOp::create(host.builder, host.loc(), part, host.i32(-1)).getResult();
  });
}

static Value readThread(HostFunction &host, NVVM::ThreadIdXOp) {
  Value thread = host.laneField(offsetof(LaneContext, thread), host.builder.getI32Type());
  if (host.block.numCtas == 1)
    return thread;
  return LLVM::URemOp::create(host.builder, host.loc(), thread, host.i32(host.block.threads));
}

static void addSpecialRegisters(OpConversions &table) {
  table.add(readThread);
  addConstant<NVVM::ThreadIdYOp>(table, 0);
  addConstant<NVVM::ThreadIdZOp>(table, 0);
  addBlockField<NVVM::BlockDimXOp>(table, offsetof(BlockContext, blockSize));
  addConstant<NVVM::BlockDimYOp>(table, 1);
  addConstant<NVVM::BlockDimZOp>(table, 1);
  addBlockField<NVVM::BlockIdXOp>(table, offsetof(BlockContext, blockIndex[0]));
  addBlockField<NVVM::BlockIdYOp>(table, offsetof(BlockContext, blockIndex[1]));
  addBlockField<NVVM::BlockIdZOp>(table, offsetof(BlockContext, blockIndex[2]));
  addBlockField<NVVM::GridDimXOp>(table, offsetof(BlockContext, gridSize[0]));
  addBlockField<NVVM::GridDimYOp>(table, offsetof(BlockContext, gridSize[1]));
  addBlockField<NVVM::GridDimZOp>(table, offsetof(BlockContext, gridSize[2]));
  addLaneField<NVVM::ClusterId>(table, offsetof(LaneContext, rank));
  addBlockField<NVVM::ClusterIdXOp>(table, offsetof(BlockContext, blockIndex[0]));
  addBlockField<NVVM::ClusterDimXOp>(table, offsetof(BlockContext, gridSize[0]));
  addLaneField<NVVM::LaneIdOp>(table, offsetof(LaneContext, lane));
  addLaneField<NVVM::WarpIdOp>(table, offsetof(LaneContext, warp));
  table.add([](HostFunction &host, NVVM::WarpSizeOp) { return host.i32(host.block.warpSize()); });
  addLaneMask<NVVM::LaneMaskEqOp>(table, /*lower=*/false, /*own=*/true, /*upper=*/false);
  addLaneMask<NVVM::LaneMaskLtOp>(table, /*lower=*/true, /*own=*/false, /*upper=*/false);
  addLaneMask<NVVM::LaneMaskLeOp>(table, /*lower=*/true, /*own=*/true, /*upper=*/false);
  addLaneMask<NVVM::LaneMaskGtOp>(table, /*lower=*/false, /*own=*/false, /*upper=*/true);
  addLaneMask<NVVM::LaneMaskGeOp>(table, /*lower=*/false, /*own=*/true, /*upper=*/true);
}

static Value crossLane(HostFunction &host, Operation *op, CrossLaneOp kind, Value value, Value a, Value b,
                       Value members) {
  auto widen = [&](Value operand) { return operand ? widenToI64(host, operand) : host.i64(0); };
  return calls::crossLane(host, kind, widen(value), widen(a), widen(b), widen(members),
                          host.sites.add(op, {.kind = SiteKind::CrossLane}));
}

/// Returns the pair that shfl and match return: bits 0..31 as `valueType`, and bit 32 as a bool.
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

static Converted convertReduce(HostFunction &host, NVVM::ReduxOp op) {
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
      return std::nullopt; // only sm_100a has redux.sync of floats
    }
  }();
  if (!kind)
    return false;
  Value bits = crossLane(host, op, *kind, op.getVal(), nullptr, nullptr, op.getMaskAndClamp());
  op.replaceAllUsesWith(narrowFromI64(host, bits, op.getType()));
  op.erase();
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
                                                      host.sites.add(op, {.kind = SiteKind::Barrier})));
}

static void convertArrive(HostFunction &host, NVVM::BarrierArriveOp op) {
  Value id = op.getBarrierId() ? op.getBarrierId() : host.i32(0);
  calls::barrierArrive(host, id, op.getNumberOfThreads(),
                       host.sites.add(op, {.kind = SiteKind::Barrier, .message = nameOfBarrier(op)}));
}

/// Converts mapa. The upper bits of an address in the memory of a cluster are the index of the block.
static void convertMapa(HostFunction &host, NVVM::MapaOp op) {
  OpBuilder &builder = host.builder;
  Value offset = LLVM::PtrToIntOp::create(builder, host.loc(), builder.getI64Type(), op.getA());
  Value rank = LLVM::ZExtOp::create(builder, host.loc(), builder.getI64Type(), op.getB());
  Value ofBlock = LLVM::AndOp::create(builder, host.loc(), offset, host.i64(host.block.sharedStride() - 1));
  Value start = LLVM::MulOp::create(builder, host.loc(), rank, host.i64(host.block.sharedStride()));
  Value place = LLVM::AddOp::create(builder, host.loc(), start, ofBlock);
  op.replaceAllUsesWith(LLVM::IntToPtrOp::create(builder, host.loc(), op.getType(), place).getResult());
}

static Value convertElect(HostFunction &host, NVVM::ElectSyncOp op) {
  Value members = op.getMembermask() ? op.getMembermask() : host.i32(-1);
  Value bits = crossLane(host, op, CrossLaneOp::Elect, nullptr, nullptr, nullptr, members);
  return narrowFromI64(host, bits, host.builder.getI1Type());
}

static Value convertReciprocal(HostFunction &host, NVVM::RcpApproxFtzF32Op op) {
  Type f32 = host.builder.getF32Type();
  Value one = LLVM::ConstantOp::create(host.builder, host.loc(), f32, host.builder.getF32FloatAttr(1));
  return LLVM::FDivOp::create(host.builder, host.loc(), one, op->getOperand(0));
}

static void convertFence(HostFunction &host, Operation *) {
  LLVM::FenceOp::create(host.builder, host.loc(), LLVM::AtomicOrdering::seq_cst, StringRef());
}

/// Converts the narrowing of two floats: the result has the second one in its lower 8 bits.
static Value convertFloat8Pair(HostFunction &host, NVVM::ConvertF32x2ToF8x2Op op) {
  auto narrow = [&](Value value) -> Value {
    Value bits = narrowToFloat8(host.builder, host.loc(), value, cast<FloatType>(op.getDstTy()));
    return LLVM::ZExtOp::create(host.builder, host.loc(), host.builder.getI16Type(), bits);
  };
  Value eight = LLVM::ConstantOp::create(host.builder, host.loc(), host.builder.getI16IntegerAttr(8));
  Value upper = LLVM::ShlOp::create(host.builder, host.loc(), narrow(op.getA()), eight);
  return LLVM::OrOp::create(host.builder, host.loc(), upper, narrow(op.getB()));
}

void addNvvmOps(OpConversions &table) {
  addSpecialRegisters(table);
  table.add(convertReciprocal);
  table.add(convertFloat8Pair);
  table.add(convertShuffle);
  table.add(convertVote);
  table.add(convertMatch);
  table.add(convertReduce);
  table.add(convertElect);
  table.add([](HostFunction &host, NVVM::SyncWarpOp sync) {
    crossLane(host, sync, CrossLaneOp::WarpSync, nullptr, nullptr, nullptr, sync.getMask());
  });
  table.add([](HostFunction &host, NVVM::Barrier0Op op) { callBarrier(host, op, 0, 0); });
  table.add(convertBarrier);
  table.add(convertArrive);
  table.add([](HostFunction &host, NVVM::ClusterArriveOp op) {
    calls::clusterArrive(host, /*isRelaxed=*/false, host.sites.add(op, {.kind = SiteKind::Barrier}));
  });
  table.add([](HostFunction &host, NVVM::ClusterArriveRelaxedOp op) {
    calls::clusterArrive(host, /*isRelaxed=*/true, host.sites.add(op, {.kind = SiteKind::Barrier}));
  });
  table.add([](HostFunction &host, NVVM::ClusterWaitOp op) {
    calls::clusterWait(host, host.sites.add(op, {.kind = SiteKind::Barrier}));
  });
  table.add(convertMapa);
  table.add([](HostFunction &host, NVVM::NanosleepOp) { calls::tick(host); });
  table.addAll<NVVM::MembarOp, NVVM::FenceScClusterOp>(convertFence);
  // Operations that change only timing are erased.
  table.addAll<NVVM::SetMaxRegisterOp, NVVM::PrefetchOp, NVVM::GriddepcontrolOp, NVVM::FenceProxyReleaseOp,
               NVVM::FenceProxyAcquireOp>([](HostFunction &, Operation *) {});
}

} // namespace hocket
