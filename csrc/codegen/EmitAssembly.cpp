//===- EmitAssembly.cpp - llvm::Module -> PTX or AMD ISA text ---------------------===//
//
// LLVM's own list of passes, but for one: a kernel with scheduling barriers says where its memory accesses begin. What
// orders instructions in a block respects that. MachineSink does not: it moves a load whose result is used in another
// block there, over barriers, into the stage that is to keep the matrix cores busy.
//
//===------------------------------------------------------------------------------===//
#include "codegen/Codegen.h"
#include "codegen/LongBlocks.h"
#include "codegen/TargetMachines.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket {

static bool hasSchedulingBarriers(const Module &module) { return module.getFunction("llvm.amdgcn.sched.barrier"); }

/// As TargetMachine::addPassesToEmitFile, without MachineSink. True if the target cannot do it.
static bool addPassesWithoutSinking(TargetMachine &machine, legacy::PassManager &passes, raw_pwrite_stream &stream) {
  auto &generator = static_cast<CodeGenTargetMachineImpl &>(machine);
  TargetPassConfig *config = generator.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&MachineSinkingLegacyID);
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses())
    return true;
  config->addMachinePasses();
  config->setInitialized();
  if (generator.addAsmPrinter(passes, stream, nullptr, CodeGenFileType::AssemblyFile, info->getMMI().getContext()))
    return true;
  passes.add(createFreeMachineFunctionPass());
  return false;
}

Expected<std::string> emitAssembly(Module &module, const CodegenOptions &options) {
  auto machine = getTargetMachine(options);
  if (!machine)
    return machine.takeError();

  bool fixesOrder = hasSchedulingBarriers(module); // of the kernel's own
  shortenLongBlocks(module);
  PassChoice choice(module);
  SmallString<0> text;
  text.reserve(16 * 1024);
  bool fails = false;
  Error error = runLlvm(options, module, [&] {
    raw_svector_ostream stream(text);
    legacy::PassManager passes;
    fails = fixesOrder ? addPassesWithoutSinking(**machine, passes, stream)
                       : (*machine)->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile,
                                                         /*DisableVerify=*/true);
    if (!fails)
      passes.run(module);
  });
  if (error)
    return std::move(error);
  if (fails)
    return createStringError("LLVM cannot emit assembly for target '" + options.target + "'");
  return std::string(text);
}

} // namespace hocket
