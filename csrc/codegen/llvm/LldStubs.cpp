//===- LldStubs.cpp - Empty definitions of symbols that lld references and a GPU linker never uses --------------===//
//
// lld starts by initializing every back end that its LLVM was built with, and its link-time optimizer would load the
// loop optimizer Polly. Hocket links three back ends and does not optimize at link time; without these empty
// definitions the extension module would carry all twenty (about 100 MB).
//
//===------------------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"

// One HOCKET_ABSENT_TARGET(name) per back end of this LLVM that is not linked; written by CMake.
#define HOCKET_ABSENT_TARGET(NAME)                                                                                     \
  extern "C" void LLVMInitialize##NAME##TargetInfo() {}                                                                \
  extern "C" void LLVMInitialize##NAME##Target() {}                                                                    \
  extern "C" void LLVMInitialize##NAME##TargetMC() {}                                                                  \
  extern "C" void LLVMInitialize##NAME##AsmPrinter() {}                                                                \
  extern "C" void LLVMInitialize##NAME##AsmParser() {}
#include "codegen/AbsentTargets.def"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}, nullptr};
}
