//===- LlvmTargets.cpp - Which of LLVM's back ends this process has ---------------===//
#include "codegen/LlvmTargets.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

/// CodeGenPrepare goes over a function again for whatever it has changed, and over the changed blocks only where it has
/// this many. 10,000, LLVM's figure, is for programs that are compiled once.
static void rereadChangedBlocksOnly() {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("cgpp-huge-func");
  assert(option && "an option of CodeGenPrepare");
  static_cast<llvm::cl::opt<unsigned> *>(option)->setValue(1000);
}

void hocket::registerLlvmTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    rereadChangedBlocksOnly();
    // PassChoice knows it by its name, which only registered passes have.
    llvm::initializeStraightLineStrengthReduceLegacyPassPass(*llvm::PassRegistry::getPassRegistry());
  });
}
