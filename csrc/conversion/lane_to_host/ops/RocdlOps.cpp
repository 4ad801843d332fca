//===- RocdlOps.cpp - Converts ROCDL operations to calls of the emulator ---------------===//
//
//   workitem.id, workgroup.id / dim, grid.dim, wavefrontsize   fields of the lane context
//   mbcnt.lo / hi                                              population count of the lanes below
//   ds_bpermute, ds_swizzle, update.dpp, readlane, ...         crossLane(lane, kind, value, a, b, members, site)
//   s.barrier, barrier                                         barrier calls; fences around a barrier are arguments
//   s.setprio n                                                priority(lane, n): selects the wave that runs
//   s.waitcnt, sched.barrier, s.nop, empty assembly, ...       nothing: they affect order or timing only
//   rcp, exp2, log, sqrt, sin, cos, tanh                       LLVM's functions; log becomes log2, and the argument of
//                                                              sin and cos is multiplied by 2 pi
//
// "AMD Instinct MI300" and "MI350" ISA guides, chapters "Data Share" and "DPP".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {

using host_abi::BlockContext;
using host_abi::CrossLaneOp;
using host_abi::FenceEffects;
using host_abi::LaneContext;
using host_abi::SiteKind;

/// Converts a special register, which is an i32 in the emulator, to `type`, because operations that return dimensions
/// can return i64.
static Value fitInteger(HostFunction &host, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return LLVM::ZExtOp::create(host.builder, host.loc(), type, value);
  if (from > to)
    return LLVM::TruncOp::create(host.builder, host.loc(), type, value);
  return value;
}

/// Emits a rendezvous in which all lanes of a wave take part. The emulator does not model lanes that EXEC disables.
Value crossLane(HostFunction &host, Operation *op, CrossLaneOp kind, Value value, Value a, int64_t b) {
  auto widen = [&](Value operand) { return operand ? widenToI64(host, operand) : host.i64(0); };
  constexpr int64_t kAllLanes = -1;
  return calls::crossLane(host, kind, widen(value), widen(a), b, kAllLanes,
                          host.sites.add(op, {.kind = SiteKind::CrossLane}));
}

/// Converts mbcnt, which counts the bits of `mask` below this lane: mbcnt.lo for lanes 0..31, mbcnt.hi for lanes
/// 32..63.
static Value countLanesBelow(HostFunction &host, Operation *op, unsigned firstLane) {
  OpBuilder &builder = host.builder;
  Location loc = host.loc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value lane = LLVM::ZExtOp::create(builder, loc, i64, host.laneField(offsetof(LaneContext, lane), i32));
  Value bit = LLVM::ShlOp::create(builder, loc, host.i64(1), lane);
  Value below = LLVM::SubOp::create(builder, loc, bit, host.i64(1));
  Value half = LLVM::LShrOp::create(builder, loc, below, host.i64(firstLane));
  Value lanes = LLVM::TruncOp::create(builder, loc, i32, half);
  Value counted = LLVM::AndOp::create(builder, loc, op->getOperand(0), lanes);
  Value count = LLVM::CtPopOp::create(builder, loc, i32, counted);
  return LLVM::AddOp::create(builder, loc, op->getOperand(1), count);
}

static Value convertDpp(HostFunction &host, ROCDL::DPPUpdateOp op) {
  int64_t control = int64_t(op.getDppCtrl()) | int64_t(op.getRowMask()) << 16 | int64_t(op.getBankMask()) << 20 |
                    int64_t(op.getBoundCtrl()) << 24;
  return narrowFromI64(host, crossLane(host, op, CrossLaneOp::Dpp, op.getSrc(), op.getOld(), control), op.getType());
}

static Value convertSwap(HostFunction &host, Operation *op, CrossLaneOp kind) {
  OpBuilder &builder = host.builder;
  Type i32 = builder.getI32Type();
  Value bits = crossLane(host, op, kind, op->getOperand(0), op->getOperand(1));
  Value high = LLVM::LShrOp::create(builder, host.loc(), bits, host.i64(32));
  Value pair = LLVM::UndefOp::create(builder, host.loc(), op->getResult(0).getType());
  pair = LLVM::InsertValueOp::create(builder, host.loc(), pair, narrowFromI64(host, bits, i32), ArrayRef<int64_t>{0});
  return LLVM::InsertValueOp::create(builder, host.loc(), pair, narrowFromI64(host, high, i32), ArrayRef<int64_t>{1});
}

/// Adds a special register that `read` returns as an i32.
template <typename OpT, typename Read>
static void addRegister(OpConversions &table, Read read) {
  table.add([=](HostFunction &host, OpT op) { return fitInteger(host, read(host), op->getResult(0).getType()); });
}
template <typename OpT>
static void addBlockField(OpConversions &table, size_t offset) {
  addRegister<OpT>(table, [=](HostFunction &host) { return host.blockField(offset, host.builder.getI32Type()); });
}
template <typename OpT>
static void addConstant(OpConversions &table, int64_t value) {
  addRegister<OpT>(table, [=](HostFunction &host) { return host.i32(value); });
}

static void addSpecialRegisters(OpConversions &table) {
  addRegister<ROCDL::ThreadIdXOp>(table, [](HostFunction &host) {
    return host.laneField(offsetof(LaneContext, thread), host.builder.getI32Type());
  });
  addConstant<ROCDL::ThreadIdYOp>(table, 0);
  addConstant<ROCDL::ThreadIdZOp>(table, 0);
  addBlockField<ROCDL::BlockDimXOp>(table, offsetof(BlockContext, blockSize));
  addConstant<ROCDL::BlockDimYOp>(table, 1);
  addConstant<ROCDL::BlockDimZOp>(table, 1);
  addBlockField<ROCDL::BlockIdXOp>(table, offsetof(BlockContext, blockIndex[0]));
  addBlockField<ROCDL::BlockIdYOp>(table, offsetof(BlockContext, blockIndex[1]));
  addBlockField<ROCDL::BlockIdZOp>(table, offsetof(BlockContext, blockIndex[2]));
  addBlockField<ROCDL::GridDimXOp>(table, offsetof(BlockContext, gridSize[0]));
  addBlockField<ROCDL::GridDimYOp>(table, offsetof(BlockContext, gridSize[1]));
  addBlockField<ROCDL::GridDimZOp>(table, offsetof(BlockContext, gridSize[2]));
  addRegister<ROCDL::WavefrontSizeOp>(table, [](HostFunction &host) { return host.i32(host.block.warpSize()); });
}

/// Adds an operation that exchanges values between lanes. `operands` returns the operands `value` and `a` of crossLane.
template <typename OpT>
static void addCrossLane(OpConversions &table, CrossLaneOp kind, std::pair<Value, Value> (*operands)(OpT)) {
  table.add([=](HostFunction &host, OpT op) {
    auto [value, a] = operands(op);
    return narrowFromI64(host, crossLane(host, op, kind, value, a), op->getResult(0).getType());
  });
}

static void addCrossLaneOps(OpConversions &table) {
  using Operands = std::pair<Value, Value>;
  table.add([](HostFunction &host, ROCDL::MbcntLoOp op) { return countLanesBelow(host, op, 0); });
  table.add([](HostFunction &host, ROCDL::MbcntHiOp op) { return countLanesBelow(host, op, 32); });
  addCrossLane<ROCDL::DsBpermuteOp>(table, CrossLaneOp::Bpermute,
                                    [](ROCDL::DsBpermuteOp op) -> Operands { return {op.getSrc(), op.getIndex()}; });
  addCrossLane<ROCDL::DsSwizzleOp>(table, CrossLaneOp::Swizzle,
                                   [](ROCDL::DsSwizzleOp op) -> Operands { return {op.getSrc(), op.getOffset()}; });
  addCrossLane<ROCDL::ReadlaneOp>(table, CrossLaneOp::Readlane,
                                  [](ROCDL::ReadlaneOp op) -> Operands { return {op.getSrc0(), op.getSrc1()}; });
  addCrossLane<ROCDL::ReadfirstlaneOp>(table, CrossLaneOp::ReadFirstLane,
                                       [](ROCDL::ReadfirstlaneOp op) -> Operands { return {op.getSrc(), {}}; });
  addCrossLane<ROCDL::BallotOp>(table, CrossLaneOp::VoteBallot,
                                [](ROCDL::BallotOp op) -> Operands { return {op.getPred(), {}}; });
  table.add(convertDpp);
  table.add([](HostFunction &host, ROCDL::Permlane16SwapOp op) {
    return convertSwap(host, op, CrossLaneOp::Permlane16Swap);
  });
  table.add([](HostFunction &host, ROCDL::Permlane32SwapOp op) {
    return convertSwap(host, op, CrossLaneOp::Permlane32Swap);
  });
}

/// rocdl.barrier is a fence, a barrier and a fence; rocdl.s.barrier alone does not order accesses.
static void convertBarrier(HostFunction &host, Operation *op) {
  bool isFenced = isa<ROCDL::BarrierOp>(op), acquires = isFenced || lane::kAcquiresAttr.isOn(op);
  callBarrier(host, op, 0, 0, isFenced ? host_abi::kReleases | host_abi::kOfBoth : FenceEffects(),
              acquires ? host_abi::kAcquires | host_abi::kOfBoth : FenceEffects());
  host.shared.areLanesTogether = true;
}

static Value convertReciprocal(HostFunction &host, Operation *op) {
  Type type = op->getResult(0).getType();
  Value one = LLVM::ConstantOp::create(host.builder, host.loc(), type, host.builder.getFloatAttr(type, 1));
  return LLVM::FDivOp::create(host.builder, host.loc(), one, op->getOperand(0));
}

static Value convertExp2(HostFunction &host, Operation *op) {
  return flushed(host, LLVM::Exp2Op::create(host.builder, host.loc(), op->getOperand(0)));
}

/// Adds the conversion of `name` to LLVM's `intrinsic`, whose argument is multiplied by `scale`.
static void addFunction(OpConversions &table, StringRef name, StringRef intrinsic, double scale = 1) {
  table.add(name, [=](HostFunction &host, Operation *op) -> Converted {
    Value argument = op->getOperand(0);
    Type type = argument.getType();
    if (scale != 1) {
      Value factor = LLVM::ConstantOp::create(host.builder, host.loc(), type, host.builder.getFloatAttr(type, scale));
      argument = LLVM::FMulOp::create(host.builder, host.loc(), argument, factor);
    }
    replaceByIntrinsic(host, op, intrinsic, argument);
    return true;
  });
}

static void addFunctions(OpConversions &table) {
  constexpr double kRadiansPerTurn = 6.283185307179586; // angles on AMD GPUs are in revolutions
  table.add("rocdl.rcp", convertReciprocal);
  table.add("rocdl.exp2", convertExp2);
  addFunction(table, "rocdl.exp", "llvm.exp");
  addFunction(table, "rocdl.log", "llvm.log2");
  addFunction(table, "rocdl.sqrt", "llvm.sqrt");
  addFunction(table, "rocdl.sin", "llvm.sin", kRadiansPerTurn);
  addFunction(table, "rocdl.cos", "llvm.cos", kRadiansPerTurn);
  addFunction(table, "rocdl.tanh", "llvm.tanh");
}

/// Erases the empty inline assembly that makes the back end compute values before an hk.sched_barrier.
static Converted convertAssembly(HostFunction &, LLVM::InlineAsmOp op) {
  if (!op.getAsmString().empty() || op->getNumResults() != 0)
    return false;
  op->erase();
  return true;
}

void addRocdlOps(OpConversions &table) {
  auto changesTimingOnly = [](HostFunction &, Operation *) {};
  addSpecialRegisters(table);
  addCrossLaneOps(table);
  addFunctions(table);
  table.addAll<ROCDL::SBarrierOp, ROCDL::BarrierOp>(convertBarrier);
  table.add([](HostFunction &host, ROCDL::SetPrioOp op) { calls::priority(host, op.getPriority()); });
  table.add([](HostFunction &host, ROCDL::SSleepOp) { calls::tick(host); });
  table.add(convertAssembly);
  table.addAll<ROCDL::SWaitcntOp, ROCDL::SNopOp, ROCDL::SchedBarrier, ROCDL::SchedGroupBarrier, ROCDL::IglpOpt>(
      changesTimingOnly);
  table.addPrefix("rocdl.s.wait.", changesTimingOnly);
}

} // namespace hocket
