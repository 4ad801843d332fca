//===- EmitAssembly.cpp - llvm::Module -> PTX or AMD ISA text ---------------------===//
#include "codegen/Codegen.h"
#include "codegen/TargetMachines.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket {

Expected<std::string> emitAssembly(Module &module, const CodegenOptions &options) {
  auto machine = getTargetMachine(options);
  if (!machine)
    return machine.takeError();

  SmallString<0> text;
  text.reserve(16 * 1024);
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile,
                                      /*DisableVerify=*/true))
    return createStringError("LLVM cannot emit assembly for target '" + options.target + "'");
  passes.run(module);
  return std::string(text);
}

} // namespace hocket
