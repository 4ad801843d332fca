//===- LldStubs.cpp - Empty definitions of symbols that lld references and a GPU linker never uses --------------===//
//
// lld initializes every back end with which its LLVM was built, and its link-time optimizer refers to the loop
// optimizer Polly. Hocket links only three back ends of LLVM and does not use link-time optimization. Without the empty
// definitions in this file, the extension module would contain all twenty back ends (about 100 MB).
//
//===------------------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"

// CMake generates one HOCKET_ABSENT_TARGET(name) for each back end of the installed LLVM that Hocket does not link.
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
