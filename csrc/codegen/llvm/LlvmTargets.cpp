//===- LlvmTargets.cpp - Registers LLVM's back ends -----------------------------------===//
#include "codegen/llvm/LlvmTargets.h"
#include "codegen/llvm/LlvmInternals.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace hocket;

/// Sets a developer option of LLVM.
static void setOption(llvm::StringRef name, unsigned value) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  assert(option && "an option of LLVM 22");
  static_cast<llvm::cl::opt<unsigned> *>(option)->setValue(value);
}

static void setOptions() {
  // After each change, CodeGenPrepare revisits the whole function or, in functions with at least this number of blocks,
  // only the changed blocks. LLVM's default is 10,000, which suits programs that are compiled once.
  setOption(llvm_names::kHugeFunctionOption, 1000);
  // The address of a masked load is a select between the address of the element and an address for masked-off lanes.
  // GVN searches for earlier loads from either of these two addresses, up to this number of instructions back (LLVM's
  // default: 100). GVN would find no earlier load, because no other load uses the address for masked-off lanes.
  setOption(llvm_names::kGvnVisitedOption, 0);
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
    // Registers the pass, because PassGate identifies it by its argument, which only registered passes have.
    llvm::initializeStraightLineStrengthReduceLegacyPassPass(*llvm::PassRegistry::getPassRegistry());
  });
}
