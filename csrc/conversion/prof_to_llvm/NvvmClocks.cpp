//===- NvvmClocks.cpp - Reads the clocks of NVIDIA GPUs --------------------------------------===//
#include "conversion/prof_to_llvm/Clocks.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {

namespace {
class NvvmClocks final : public Clocks {
public:
  Value cycles(OpBuilder &builder, Location loc, Type type) const override {
    if (type.isInteger(64))
      return NVVM::Clock64Op::create(builder, loc, type);
    return NVVM::ClockOp::create(builder, loc, type);
  }
  Value steady(OpBuilder &builder, Location loc) const override {
    return NVVM::GlobalTimerOp::create(builder, loc, builder.getI64Type());
  }
  Value hardwareUnit(OpBuilder &builder, Location loc) const override {
    return NVVM::SmIdOp::create(builder, loc, builder.getI32Type(), LLVM::ConstantRangeAttr());
  }
  Value hardwareSlot(OpBuilder &builder, Location loc) const override {
    return NVVM::WarpIdOp::create(builder, loc, builder.getI32Type(), LLVM::ConstantRangeAttr());
  }

  /// True for barriers: a warp that waits at a barrier still executes instructions up to its next memory access or
  /// exchange between lanes. On an H200, a clock read after `BAR.SYNC.DEFER_BLOCKING` was executed 2 cycles after the
  /// warp's own arrival, although other warps arrived 3,400 cycles later. With `bar.warp.sync` in between, the clock
  /// read was executed 20 cycles after the last arrival.
  bool outruns(Operation *op) const override { return isa<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::ClusterWaitOp>(op); }
};
} // namespace

std::unique_ptr<Clocks> makeNvvmClocks() { return std::make_unique<NvvmClocks>(); }

} // namespace hocket
