//===- LlvmTargets.cpp - Which of LLVM's back ends this process has ---------------===//
#include "codegen/LlvmTargets.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

/// Sets an option that LLVM has for its own developers.
static void setOption(llvm::StringRef name, unsigned value) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  assert(option && "an option of LLVM 22");
  static_cast<llvm::cl::opt<unsigned> *>(option)->setValue(value);
}

static void setOptions() {
  // CodeGenPrepare goes over a function again for whatever it has changed, and over the changed blocks only where it
  // has this many. 10,000, LLVM's figure, is for programs that are compiled once.
  setOption("cgpp-huge-func", 1000);
  // A masked load's address is a choice between two. GVN looks for earlier loads from both, for so many instructions
  // back (LLVM: 100), and there is none from the one that stands for lanes that are masked off.
  setOption("gvn-max-num-visited-insts", 0);
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
    setOptions();
    // PassChoice knows it by its name, which only registered passes have.
    llvm::initializeStraightLineStrengthReduceLegacyPassPass(*llvm::PassRegistry::getPassRegistry());
  });
}
