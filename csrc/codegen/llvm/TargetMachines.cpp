//===- TargetMachines.cpp - One llvm::TargetMachine per thread and target ---------===//
#include "codegen/llvm/TargetMachines.h"
#include "codegen/llvm/LlvmErrors.h"
#include "codegen/llvm/LlvmTargets.h"
#include "target/Vendors.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace hocket {

// The PTX ISA version. 8.4 has every instruction of sm_90a that the lowerings emit (the newest: mma.sync of 8-bit
// floats), and every assembler that may be used supports it: drivers since 550, and the nvJitLink of any PyTorch built
// for CUDA 12.4 or later. Newer versions add instructions for Blackwell only, and exclude the toolchains of CUDA 12.
static constexpr StringLiteral kPtxFeature = "+ptx84";

static Expected<std::unique_ptr<TargetMachine>> makeTargetMachine(const CodegenOptions &options) {
  const TargetInfo *info = findTarget(options.target);
  if (!info)
    return createStringError("unknown target '" + options.target + "'");
  registerLlvmTargets();

  Triple triple{StringRef(infoOf(info->vendor).triple)};
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);

  TargetOptions targetOptions;
  // a * b + c rounds once where both operations carry `contract`, which is the lowering's decision.
  targetOptions.AllowFPOpFusion = FPOpFusion::Standard;
  targetOptions.MCOptions.AsmVerbose = true;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, options.target, triple.isNVPTX() ? StringRef(kPtxFeature) : "", targetOptions,
                                  Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM has no code generator for target '" + options.target + "'");
  return std::move(machine);
}

/// The calling thread's machine for `options`; null before it is made.
static std::unique_ptr<TargetMachine> &slotOf(const CodegenOptions &options) {
  thread_local StringMap<std::unique_ptr<TargetMachine>> machines;
  return machines[options.target];
}

Error runLlvm(const CodegenOptions &options, Module &module, function_ref<void()> work) {
  Error error = runLlvm(module.getContext(), work);
  if (error.isA<LlvmStopped>())
    (void)slotOf(options).release();
  return error;
}

Expected<TargetMachine *> getTargetMachine(const CodegenOptions &options) {
  auto &slot = slotOf(options);
  if (!slot) {
    auto made = makeTargetMachine(options);
    if (!made)
      return made.takeError();
    slot = std::move(*made);
  }
  return slot.get();
}

} // namespace hocket
