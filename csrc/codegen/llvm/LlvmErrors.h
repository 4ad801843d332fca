//===- LlvmErrors.h - Returns the errors of LLVM instead of ending the process -------===//
//
// LLVM's back ends reject a module in two ways: by an error diagnostic in the module's context, after which they
// continue, or by a fatal error, which by default ends the process. Neither may end the Python process. A fatal error
// of MLIR means that Hocket has built an invalid operation, so it becomes an internal error.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LLVMERRORS_H
#define HOCKET_CODEGEN_LLVM_LLVMERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace hocket {

/// Error returned if a fatal error has stopped LLVM in the middle of its work. The llvm::Module and its LLVMContext are
/// then in an unknown state, so they must be neither used again nor destroyed.
class LlvmStopped : public llvm::ErrorInfo<LlvmStopped> {
public:
  static char ID;
  explicit LlvmStopped(std::string reason) : reason(std::move(reason)) {}
  void log(llvm::raw_ostream &stream) const override { stream << "LLVM cannot compile the kernel: " << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string reason;
};

/// Calls `work`, which runs LLVM on a module of `context`, and returns LLVM's errors. A fatal error leaves `work` by
/// longjmp, so objects on its stack are not destroyed; the result is then LlvmStopped. Therefore `work` must not hold a
/// lock, and must itself construct all objects that LLVM uses.
llvm::Error runLlvm(llvm::LLVMContext &context, llvm::function_ref<void()> work);

/// From this call on, fatal errors of LLVM or MLIR outside of runLlvm become InternalError exceptions. InternalError
/// exceptions leave LLVM's stack frames without running destructors.
void throwFatalErrors();

/// Returns `error`. If `error` is LlvmStopped, releases `module` and `context`, so that neither is ever freed.
llvm::Error giveUpIfStopped(llvm::Error error, std::unique_ptr<llvm::Module> &module,
                            std::unique_ptr<llvm::LLVMContext> &context);

} // namespace hocket

#endif
