//===- LlvmTargets.cpp - Registers LLVM's back ends -----------------------------------===//
#include "codegen/llvm/LlvmTargets.h"
#include "codegen/llvm/LlvmInternals.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace hocket;

/// Sets the value of LLVM's developer option `name`.
static void setOption(llvm::StringRef name, unsigned value) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  assert(option && "an option of LLVM 22");
  static_cast<llvm::cl::opt<unsigned> *>(option)->setValue(value);
}

static void setOptions() {
  // Sets the number of basic blocks from which on CodeGenPrepare treats a function as huge. After each change,
  // CodeGenPrepare revisits only the changed blocks of a huge function, but all blocks of any other function. LLVM's
  // default of 10,000 blocks suits programs that are compiled once.
  setOption(llvm_names::kHugeFunctionOption, 1000);
  // The address of a masked load is a select between the address of the element and an address for masked-off lanes.
  // For such a load, GVN searches backwards for loads from either of the two addresses, through at most 100
  // instructions by default. A limit of 0 instructions disables this search of GVN, which would find nothing, because
  // no other load uses the address for masked-off lanes.
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
    // Straight-line strength reduction must be registered, because PassGate identifies the pass by its argument, and
    // LLVM knows the arguments of registered passes only.
    llvm::initializeStraightLineStrengthReduceLegacyPassPass(*llvm::PassRegistry::getPassRegistry());
  });
}
