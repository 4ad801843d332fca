//===- EmitAssembly.cpp - Generates PTX or AMD ISA text from an llvm::Module ------===//
//
// Runs LLVM's own list of code generation passes. PassGate (llvm/PassGate.h) skips some of these passes, and Hocket's
// passes for AMD GPUs are inserted (amd/Passes.cpp).
//
//===------------------------------------------------------------------------------===//
#include "codegen/Codegen.h"
#include "codegen/amd/Passes.h"
#include "codegen/llvm/LongBlocks.h"
#include "codegen/llvm/PassGate.h"
#include "codegen/llvm/TargetMachines.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket {

/// Adds the passes that TargetMachine::addPassesToEmitFile adds, as modified by `change`, which inserts and removes
/// passes. Returns true if the target cannot emit assembly.
static bool addPasses(TargetMachine &machine, legacy::PassManager &passes, raw_pwrite_stream &stream,
                      function_ref<void(TargetPassConfig &)> change) {
  auto &generator = static_cast<CodeGenTargetMachineImpl &>(machine);
  TargetPassConfig *config = generator.createPassConfig(passes);
  config->setDisableVerify(true);
  change(*config);
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

  bool isAmd = module.getTargetTriple().isAMDGPU();
  if (isAmd)
    runAmdPassesBeforeCodegen(module, options);
  shortenLongBlocks(module);
  PassGate gate(module);
  SmallString<0> text;
  text.reserve(16 * 1024);
  bool fails = false;
  Error error = runLlvm(options, module, [&] {
    raw_svector_ostream stream(text);
    legacy::PassManager passes;
    fails = addPasses(**machine, passes, stream, [&](TargetPassConfig &config) {
      if (isAmd)
        insertAmdPasses(config, module, options);
    });
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
