//===- LlvmErrors.h - What LLVM refuses becomes an error, not the end of the process -------===//
//
// LLVM's back ends have two ways to refuse a module: an error in the module's context, after which they go on, and a
// fatal error, after which the process ends. Neither may end the Python process that called us. MLIR has fatal errors
// too, for mistakes of ours in building operations.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVMERRORS_H
#define HOCKET_CODEGEN_LLVMERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace hocket {

/// LLVM was stopped in the middle of its work by a fatal error. What it worked on, and with, is in no known state: it
/// is neither used again nor destroyed.
class LlvmStopped : public llvm::ErrorInfo<LlvmStopped> {
public:
  static char ID;
  explicit LlvmStopped(std::string reason) : reason(std::move(reason)) {}
  void log(llvm::raw_ostream &stream) const override { stream << "LLVM cannot compile the kernel: " << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string reason;
};

/// Calls `work`, which has LLVM work on a module of `context`, and returns what LLVM has against it. After a fatal
/// error, LlvmStopped, `work` does not go on: what it has on its stack is left as it is, without being destroyed. So
/// `work` holds no lock, and makes all that LLVM works with itself.
llvm::Error runLlvm(llvm::LLVMContext &context, llvm::function_ref<void()> work);

/// From now on, a fatal error of LLVM or MLIR outside of runLlvm is an InternalError that is thrown, and no longer the
/// end of the process. It passes through their code, which does not clean up.
void throwFatalErrors();

/// Passes `error` on. If it is LlvmStopped, gives up the module and its context, which are never freed.
llvm::Error giveUpIfStopped(llvm::Error error, std::unique_ptr<llvm::Module> &module,
                            std::unique_ptr<llvm::LLVMContext> &context);

} // namespace hocket

#endif
