//===- RocdlClocks.cpp - Reads the clocks of AMD GPUs ----------------------------------------===//
#include "conversion/prof_to_llvm/Clocks.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

namespace {
/// A range of bits of a hardware register, as s_getreg_b32 encodes it.
struct RegisterBits {
  int id, offset, size;
  int operand() const { return id | offset << 6 | (size - 1) << 11; }
};
constexpr RegisterBits kWaveAndSimd = {4, 0, 6}, kComputeUnit = {4, 8, 8}, kXcc = {20, 0, 4};

class RocdlClocks final : public Clocks {
public:
  Value cycles(OpBuilder &builder, Location loc, Type type) const override {
    Value cycles = read(builder, loc, "llvm.amdgcn.s.memtime", builder.getI64Type());
    return type.isInteger(64) ? cycles : LLVM::TruncOp::create(builder, loc, type, cycles);
  }
  Value steady(OpBuilder &builder, Location loc) const override {
    return read(builder, loc, "llvm.amdgcn.s.memrealtime", builder.getI64Type());
  }
  Value hardwareUnit(OpBuilder &builder, Location loc) const override {
    Value eight = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), kComputeUnit.size);
    Value xcc = LLVM::ShlOp::create(builder, loc, readRegister(builder, loc, kXcc), eight);
    return LLVM::OrOp::create(builder, loc, xcc, readRegister(builder, loc, kComputeUnit));
  }
  Value hardwareSlot(OpBuilder &builder, Location loc) const override {
    return readRegister(builder, loc, kWaveAndSimd);
  }

  void keepBranchesApart(OpBuilder &builder, Location loc) const override {
    LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr("llvm.amdgcn.wave.barrier"), ValueRange());
  }

private:
  static Value read(OpBuilder &builder, Location loc, StringRef intrinsic, Type type, ValueRange operands = {}) {
    return LLVM::CallIntrinsicOp::create(builder, loc, type, builder.getStringAttr(intrinsic), operands).getResults();
  }
  static Value readRegister(OpBuilder &builder, Location loc, RegisterBits bits) {
    Type i32 = builder.getI32Type();
    Value operand = LLVM::ConstantOp::create(builder, loc, i32, bits.operand());
    return read(builder, loc, "llvm.amdgcn.s.getreg", i32, operand);
  }
};
} // namespace

std::unique_ptr<Clocks> makeRocdlClocks() { return std::make_unique<RocdlClocks>(); }

} // namespace hocket
