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
  // With FPOpFusion::Standard, a * b + c is fused only if both operations have the flag `contract`, which the lowering
  // sets.
  targetOptions.AllowFPOpFusion = FPOpFusion::Standard;
  targetOptions.MCOptions.AsmVerbose = true;
  std::string features = info->ptxVersion ? "+ptx" + std::to_string(info->ptxVersion) : "";
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, options.target, features, targetOptions, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM has no code generator for target '" + options.target + "'");
  return std::move(machine);
}

/// Returns the calling thread's TargetMachine for `options`; null if the TargetMachine has not been created yet.
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
