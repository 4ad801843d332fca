//===- HostCode.h - Compiles LLVM IR to machine code in this process ----------------------------===//
#ifndef HOCKET_EMULATOR_HOST_HOSTCODE_H
#define HOCKET_EMULATOR_HOST_HOSTCODE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm::orc {
class JITDylib;
}

namespace hocket::emulator {

/// Machine code of one kernel, freed when this object is destroyed.
class HostCode {
public:
  /// Compiles `module` for this CPU. Compilation takes two to three times as long if `isOptimized`.
  static llvm::Expected<std::unique_ptr<HostCode>> compile(llvm::Module &module, bool isOptimized);
  ~HostCode();

  void *entry() const { return entryAddress; }
  /// Returns the address of a variable of the module.
  llvm::Expected<std::byte *> find(const std::string &variable) const;
  /// Size of the kernel function's stack frame in bytes.
  size_t frameBytes() const { return frame; }

private:
  HostCode() = default;
  llvm::orc::JITDylib *library = nullptr;
  void *entryAddress = nullptr;
  size_t frame = 0;
};

} // namespace hocket::emulator

#endif
