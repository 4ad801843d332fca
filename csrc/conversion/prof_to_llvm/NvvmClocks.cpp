//===- NvvmClocks.cpp - The clocks of NVIDIA's GPUs ------------------------------------------===//
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
};
} // namespace

std::unique_ptr<Clocks> makeNvvmClocks() { return std::make_unique<NvvmClocks>(); }

} // namespace hocket
