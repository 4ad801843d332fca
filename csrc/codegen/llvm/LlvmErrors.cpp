//===- LlvmErrors.cpp - Returns the errors of LLVM instead of ending the process -----===//
//
// The handler of fatal errors jumps back to runLlvm by longjmp, as LLVM's own CrashRecoveryContext does.
// CrashRecoveryContext is not used because it also installs signal handlers for the whole process, which only Python
// may install.
//
//===------------------------------------------------------------------------------===//
#include "codegen/llvm/LlvmErrors.h"
#include "support/CompileError.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <csetjmp>
#include <mutex>

using namespace llvm;

namespace hocket {

char LlvmStopped::ID = 0;

namespace {

/// State of a call of runLlvm: the jump target and the text of a fatal error.
struct Attempt {
  std::jmp_buf start;
  std::string reason;
};
thread_local Attempt *current = nullptr;

void onFatalError(void *, const char *reason, bool) {
  if (!current)
    throw InternalError(std::string("LLVM ERROR: ") + reason);
  current->reason = reason;
  std::longjmp(current->start, 1);
}

/// Appends diagnostics that are errors to `errors`, and passes all other diagnostics to the previous handler.
class ErrorCollector : public DiagnosticHandler {
public:
  ErrorCollector(std::string &errors, std::unique_ptr<DiagnosticHandler> before)
      : errors(errors), before(std::move(before)) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return before && before->handleDiagnostics(info);
    raw_string_ostream stream(errors);
    stream << (errors.empty() ? "" : "\n");
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

  std::unique_ptr<DiagnosticHandler> takeBefore() { return std::move(before); }

private:
  std::string &errors;
  std::unique_ptr<DiagnosticHandler> before;
};

/// Calls `work`. Returns true if `work` returned, and false if a fatal error ended `work`. `finishes` has no local
/// object whose destructor a longjmp could skip.
[[gnu::noinline]] bool finishes(Attempt &attempt, function_ref<void()> work) {
  if (setjmp(attempt.start))
    return false;
  work();
  return true;
}

} // namespace

void throwFatalErrors() {
  static std::once_flag once;
  std::call_once(once, [] { install_fatal_error_handler(onFatalError); });
}

Error runLlvm(LLVMContext &context, function_ref<void()> work) {
  throwFatalErrors();
  std::string errors;
  auto collector = std::make_unique<ErrorCollector>(errors, context.getDiagnosticHandler());
  ErrorCollector *installed = collector.get();
  context.setDiagnosticHandler(std::move(collector));

  Attempt attempt;
  Attempt *outer = std::exchange(current, &attempt);
  const void *traced = SavePrettyStackState();
  bool finished = finishes(attempt, work);
  current = outer;
  context.setDiagnosticHandler(installed->takeBefore());
  if (!finished) {
    RestorePrettyStackState(traced);
    return make_error<LlvmStopped>(std::move(attempt.reason));
  }
  if (!errors.empty())
    return createStringError("LLVM cannot compile the kernel: " + errors);
  return Error::success();
}

Error giveUpIfStopped(Error error, std::unique_ptr<Module> &module, std::unique_ptr<LLVMContext> &context) {
  if (error.isA<LlvmStopped>()) {
    (void)module.release();
    (void)context.release();
  }
  return error;
}

} // namespace hocket
