//===- UserDiagnostics.h - What a pass reports becomes the user's CompileError -----===//
//
// Passes report mistakes as MLIR diagnostics at the location of an operation, which is the user's line. While a
// UserDiagnostics object lives, it keeps the first error with its notes instead of printing it, and all warnings.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PIPELINE_USERDIAGNOSTICS_H
#define HOCKET_PIPELINE_USERDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "support/CompileError.h"

#include <optional>

namespace hocket {

class UserDiagnostics {
public:
  explicit UserDiagnostics(mlir::MLIRContext *context);

  /// Throws the kept error as CompileError where it has a place in the user's source, else as InternalError. Without
  /// an error, InternalError with `otherwise`.
  [[noreturn]] void raise(const std::string &otherwise);

  /// What passes were asked to do and left, at places in the user's source.
  const std::vector<Diagnostic> &getWarnings() const { return warnings; }

private:
  std::optional<Diagnostic> first;
  std::vector<Diagnostic> warnings;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hocket

#endif
