//===- LlvmTargets.cpp - Which of LLVM's back ends this process has ---------------===//
#include "codegen/LlvmTargets.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

template <typename T>
static void setOption(llvm::StringRef name, T value) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  assert(option && "LLVM has no such option");
  static_cast<llvm::cl::opt<T> *>(option)->setValue(value);
}

/// CodeGenPrepare goes over a function again for whatever it has changed, and over the changed blocks only where it has
/// this many. 10,000, LLVM's figure, is for programs that are compiled once.
static void rereadChangedBlocksOnly() { setOption<unsigned>("cgpp-huge-func", 1000); }

/// Addresses of NVIDIA's shared memory have 32 bits.
static void shortenSharedPointers() { setOption<bool>("nvptx-short-ptr", true); }

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
    shortenSharedPointers();
    // PassChoice knows it by its name, which only registered passes have.
    llvm::initializeStraightLineStrengthReduceLegacyPassPass(*llvm::PassRegistry::getPassRegistry());
  });
}
