//===- IntrinsicCalls.cpp - Converts calls of vendor intrinsics and device libraries --===//
//
// If an instruction has no operation in MLIR, lowerings call LLVM's intrinsic for the instruction by name. For the
// host, arithmetic intrinsics are replaced by target-independent intrinsics, and approximations by the exact functions.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace hocket {

/// Returns the name of the target-independent intrinsic that computes the same function as `name`; empty if no such
/// intrinsic exists.
static StringRef genericEqualOf(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"llvm.nvvm.ex2.approx.f", "llvm.nvvm.ex2.approx"}, "llvm.exp2")
      .Cases({"llvm.nvvm.lg2.approx.f", "llvm.nvvm.lg2.approx.ftz.f", "llvm.amdgcn.log"}, "llvm.log2")
      .Cases({"llvm.nvvm.sqrt.approx.f", "llvm.nvvm.sqrt.approx.ftz.f", "llvm.nvvm.sqrt.rn.f", "llvm.nvvm.sqrt.rn.d",
              "llvm.amdgcn.sqrt"},
             "llvm.sqrt")
      .Cases({"llvm.nvvm.sin.approx.f", "llvm.nvvm.sin.approx.ftz.f"}, "llvm.sin")
      .Cases({"llvm.nvvm.cos.approx.f", "llvm.nvvm.cos.approx.ftz.f"}, "llvm.cos")
      .Cases({"llvm.nvvm.tanh.approx.f", "llvm.nvvm.tanh.approx"}, "llvm.tanh")
      .Cases({"llvm.nvvm.fma.rn.f", "llvm.nvvm.fma.rn.d", "llvm.nvvm.fma.rn.f16", "llvm.nvvm.fma.rn.bf16",
              "llvm.nvvm.fma.rn.f16x2", "llvm.nvvm.fma.rn.bf16x2"},
             "llvm.fma")
      .Cases({"llvm.nvvm.fabs", "llvm.nvvm.fabs.f", "llvm.nvvm.fabs.d"}, "llvm.fabs")
      .Cases({"llvm.nvvm.floor.f", "llvm.nvvm.floor.d"}, "llvm.floor")
      .Cases({"llvm.nvvm.ceil.f", "llvm.nvvm.ceil.d"}, "llvm.ceil")
      .Cases({"llvm.nvvm.fmin.f", "llvm.nvvm.fmin.d", "llvm.nvvm.fmin.bf16", "llvm.nvvm.fmin.f16"}, "llvm.minnum")
      .Cases({"llvm.nvvm.fmax.f", "llvm.nvvm.fmax.d", "llvm.nvvm.fmax.bf16", "llvm.nvvm.fmax.f16"}, "llvm.maxnum")
      .Cases({"llvm.nvvm.fmin.nan.f", "llvm.nvvm.fmin.nan.bf16", "llvm.nvvm.fmin.nan.f16"}, "llvm.minimum")
      .Cases({"llvm.nvvm.fmax.nan.f", "llvm.nvvm.fmax.nan.bf16", "llvm.nvvm.fmax.nan.f16"}, "llvm.maximum")
      .Default("");
}

/// Returns 1 / x or 1 / sqrt(x) if `name` is an intrinsic for one of these functions; null otherwise.
static Value convertReciprocal(HostFunction &host, StringRef name, Value argument) {
  bool isRoot = llvm::StringSwitch<bool>(name)
                    .Cases({"llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.ftz.f", "llvm.nvvm.rsqrt.approx.d",
                            "llvm.amdgcn.rsq"},
                           true)
                    .Default(false);
  bool isPlain = llvm::StringSwitch<bool>(name)
                     .Cases({"llvm.nvvm.rcp.approx.ftz.f", "llvm.nvvm.rcp.approx.ftz.d", "llvm.nvvm.rcp.rn.f",
                             "llvm.nvvm.rcp.rn.d", "llvm.amdgcn.rcp"},
                            true)
                     .Default(false);
  if (!isRoot && !isPlain)
    return nullptr;
  OpBuilder &builder = host.builder;
  Type type = argument.getType();
  if (isRoot)
    argument = LLVM::SqrtOp::create(builder, host.loc(), argument);
  Value one = LLVM::ConstantOp::create(builder, host.loc(), type, builder.getFloatAttr(type, 1));
  return LLVM::FDivOp::create(builder, host.loc(), one, argument);
}

static Converted convertIntrinsic(HostFunction &host, Operation *op) {
  auto call = cast<LLVM::CallIntrinsicOp>(op);
  StringRef name = call.getIntrin();
  // A call of llvm.donothing has no effect, and only carries an attribute.
  if (name == "llvm.donothing") {
    op->erase();
    return true;
  }
  // The name of an overloaded AMD intrinsic ends in the type of the operands. This suffix is removed.
  StringRef stem = name;
  if (name.starts_with("llvm.amdgcn."))
    for (StringRef suffix : {".f16", ".f32", ".f64"})
      if (stem.consume_back(suffix))
        break;
  if (stem.starts_with("llvm.nvvm.ex2.approx.ftz")) {
    Value power = LLVM::Exp2Op::create(host.builder, host.loc(), call.getArgs()[0]);
    op->replaceAllUsesWith(ValueRange{flushed(host, power)});
    op->erase();
    return true;
  }
  if (StringRef generic = genericEqualOf(stem); !generic.empty()) {
    replaceByIntrinsic(host, op, generic, call.getArgs());
    return true;
  }
  if (call.getArgs().size() == 1)
    if (Value result = convertReciprocal(host, stem, call.getArgs()[0])) {
      op->replaceAllUsesWith(ValueRange{result});
      op->erase();
      return true;
    }
  // On the hardware, lanes of a wave run in lockstep. In the emulator, the lanes must converge explicitly.
  if (name == "llvm.amdgcn.wave.barrier") {
    crossLane(host, op, host_abi::CrossLaneOp::WarpSync, nullptr);
    op->erase();
    return true;
  }
  if (name.starts_with("llvm.nvvm.") || name.starts_with("llvm.amdgcn."))
    return op->emitError("the emulator does not support the intrinsic ") << name;
  return true;
}

void addIntrinsicCalls(OpConversions &table) { table.addIntrinsics("", convertIntrinsic); }

} // namespace hocket
