//===- RocdlOps.cpp - Converts ROCDL operations to calls of the emulator ---------------===//
//
//   workitem.id, workgroup.id / dim, grid.dim, wavefrontsize   fields of the lane context
//   mbcnt.lo / hi                                              population count of the lanes below
//   ds_bpermute, ds_swizzle, update.dpp, readlane, ...         crossLane(lane, kind, value, a, b, members, site)
//   s.barrier, barrier                                         barrier calls; with lane.acquires, or fences around it
//   s.setprio n                                                priority(lane, n): selects the wave that runs
//   s.waitcnt, sched.barrier, s.nop, empty assembly, ...       nothing: they affect order or timing only
//   rcp, exp2, log, sqrt, sin, cos, tanh                       LLVM's functions; log is log2, sin and cos scale by 2 pi
//
// "AMD Instinct MI300" and "MI350" ISA guides, chapters "Data Share" and "DPP".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::BlockContext;
using host_abi::CrossLaneOp;
using host_abi::FenceEffects;
using host_abi::LaneContext;
using host_abi::SiteKind;

static Value readSpecialRegister(HostFunction &host, Operation *op) {
  Type i32 = host.builder.getI32Type();
  auto block = [&](size_t offset) { return host.blockField(offset, i32); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ROCDL::ThreadIdXOp) { return host.laneField(offsetof(LaneContext, thread), i32); })
      .Case<ROCDL::ThreadIdYOp, ROCDL::ThreadIdZOp>([&](auto) { return host.i32(0); })
      .Case([&](ROCDL::BlockDimXOp) { return block(offsetof(BlockContext, blockSize)); })
      .Case<ROCDL::BlockDimYOp, ROCDL::BlockDimZOp>([&](auto) { return host.i32(1); })
      .Case([&](ROCDL::BlockIdXOp) { return block(offsetof(BlockContext, blockIndex[0])); })
      .Case([&](ROCDL::BlockIdYOp) { return block(offsetof(BlockContext, blockIndex[1])); })
      .Case([&](ROCDL::BlockIdZOp) { return block(offsetof(BlockContext, blockIndex[2])); })
      .Case([&](ROCDL::GridDimXOp) { return block(offsetof(BlockContext, gridSize[0])); })
      .Case([&](ROCDL::GridDimYOp) { return block(offsetof(BlockContext, gridSize[1])); })
      .Case([&](ROCDL::GridDimZOp) { return block(offsetof(BlockContext, gridSize[2])); })
      .Case([&](ROCDL::WavefrontSizeOp) { return host.i32(host.warpSize()); })
      .Default([](Operation *) { return Value(); });
}

/// Special registers are i32 in the emulator; getters of dimensions may return i64.
static Value fitInteger(HostFunction &host, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return LLVM::ZExtOp::create(host.builder, host.loc(), type, value);
  if (from > to)
    return LLVM::TruncOp::create(host.builder, host.loc(), type, value);
  return value;
}

/// All lanes of a wave take part; lanes that a mask disables are not modeled.
Value crossLane(HostFunction &host, Operation *op, CrossLaneOp kind, Value value, Value a, int64_t b) {
  auto widen = [&](Value operand) { return operand ? widenToI64(host, operand) : host.i64(0); };
  constexpr int64_t kAllLanes = -1;
  return calls::crossLane(host, kind, widen(value), widen(a), b, kAllLanes,
                          host.site(op, {.kind = SiteKind::CrossLane}));
}

/// mbcnt counts the bits of `mask` below this lane: lo for lanes 0..31, hi for lanes 32..63.
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
  return crossLane(host, op, CrossLaneOp::Dpp, op.getSrc(), op.getOld(), control);
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

/// Returns the result of an operation that reads a register; null if it is not supported.
static Value convertValue(HostFunction &host, Operation *op) {
  Type type = op->getNumResults() ? op->getResult(0).getType() : Type();
  auto narrow = [&](Value bits) { return narrowFromI64(host, bits, type); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ROCDL::MbcntLoOp) { return countLanesBelow(host, op, 0); })
      .Case([&](ROCDL::MbcntHiOp) { return countLanesBelow(host, op, 32); })
      .Case([&](ROCDL::DsBpermuteOp permute) {
        return narrow(crossLane(host, op, CrossLaneOp::Bpermute, permute.getSrc(), permute.getIndex()));
      })
      .Case([&](ROCDL::DsSwizzleOp swizzle) {
        return narrow(crossLane(host, op, CrossLaneOp::Swizzle, swizzle.getSrc(), swizzle.getOffset()));
      })
      .Case([&](ROCDL::DPPUpdateOp update) { return narrow(convertDpp(host, update)); })
      .Case([&](ROCDL::ReadlaneOp read) {
        return narrow(crossLane(host, op, CrossLaneOp::Readlane, read.getSrc0(), read.getSrc1()));
      })
      .Case([&](ROCDL::ReadfirstlaneOp read) {
        return narrow(crossLane(host, op, CrossLaneOp::ReadFirstLane, read.getSrc()));
      })
      .Case([&](ROCDL::BallotOp ballot) {
        return narrow(crossLane(host, op, CrossLaneOp::VoteBallot, ballot.getPred()));
      })
      .Case([&](ROCDL::Permlane16SwapOp) { return convertSwap(host, op, CrossLaneOp::Permlane16Swap); })
      .Case([&](ROCDL::Permlane32SwapOp) { return convertSwap(host, op, CrossLaneOp::Permlane32Swap); })
      .Default([](Operation *) { return Value(); });
}

/// Replaces `op` by f(x) of LLVM's intrinsics; the angle of sin and cos on AMD GPUs is in revolutions.
static bool convertMath(HostFunction &host, Operation *op) {
  OpBuilder &builder = host.builder;
  StringRef name = op->getName().getStringRef();
  if (name == "rocdl.rcp") {
    Type type = op->getResult(0).getType();
    Value one = LLVM::ConstantOp::create(builder, host.loc(), type, builder.getFloatAttr(type, 1));
    op->getResult(0).replaceAllUsesWith(LLVM::FDivOp::create(builder, host.loc(), one, op->getOperand(0)));
    op->erase();
    return true;
  }
  if (name == "rocdl.exp2") {
    Value power = LLVM::Exp2Op::create(builder, host.loc(), op->getOperand(0));
    op->getResult(0).replaceAllUsesWith(flushed(host, power));
    op->erase();
    return true;
  }
  StringRef intrinsic = llvm::StringSwitch<StringRef>(name)
                            .Case("rocdl.exp", "llvm.exp")
                            .Case("rocdl.log", "llvm.log2")
                            .Case("rocdl.sqrt", "llvm.sqrt")
                            .Case("rocdl.sin", "llvm.sin")
                            .Case("rocdl.cos", "llvm.cos")
                            .Case("rocdl.tanh", "llvm.tanh")
                            .Default("");
  if (intrinsic.empty())
    return false;
  Value argument = op->getOperand(0);
  if (name == "rocdl.sin" || name == "rocdl.cos") {
    constexpr double kRadiansPerTurn = 6.283185307179586;
    Type type = argument.getType();
    Value turn = LLVM::ConstantOp::create(builder, host.loc(), type, builder.getFloatAttr(type, kRadiansPerTurn));
    argument = LLVM::FMulOp::create(builder, host.loc(), argument, turn);
  }
  replaceByIntrinsic(host, op, intrinsic, argument);
  return true;
}

static bool changesTimingOnly(Operation *op) {
  if (isa<ROCDL::SWaitcntOp, ROCDL::SNopOp, ROCDL::SchedBarrier, ROCDL::SchedGroupBarrier, ROCDL::IglpOpt>(op))
    return true;
  return op->getName().getStringRef().starts_with("rocdl.s.wait.");
}

/// True for the empty assembly with which hk.sched_barrier keeps values computed above it.
static bool isEmptyAssembly(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().empty() && assembly->getNumResults() == 0;
}

Converted convertRocdlOp(HostFunction &host, Operation *op) {
  if (isEmptyAssembly(op)) {
    op->erase();
    return true;
  }
  if (!isa_and_nonnull<ROCDL::ROCDLDialect>(op->getDialect()))
    return false;
  if (Value value = readSpecialRegister(host, op)) {
    op->getResult(0).replaceAllUsesWith(fitInteger(host, value, op->getResult(0).getType()));
  } else if (Value value = convertValue(host, op)) {
    op->getResult(0).replaceAllUsesWith(value);
  } else if (isa<ROCDL::SBarrierOp, ROCDL::BarrierOp>(op)) {
    // rocdl.barrier is a fence, a barrier and a fence; rocdl.s.barrier alone does not order accesses.
    bool isFenced = isa<ROCDL::BarrierOp>(op), acquires = isFenced || op->hasAttr(lane::LaneDialect::kAcquiresAttr);
    callBarrier(host, op, 0, 0, isFenced ? host_abi::kReleases | host_abi::kOfBoth : FenceEffects(),
                acquires ? host_abi::kAcquires | host_abi::kOfBoth : FenceEffects());
    host.areLanesTogether = true;
  } else if (auto priority = dyn_cast<ROCDL::SetPrioOp>(op)) {
    calls::priority(host, priority.getPriority());
  } else if (isa<ROCDL::SSleepOp>(op)) {
    calls::tick(host);
  } else if (convertMath(host, op)) {
    return true;
  } else if (!changesTimingOnly(op)) {
    return false;
  }
  op->erase();
  return true;
}

} // namespace hocket
