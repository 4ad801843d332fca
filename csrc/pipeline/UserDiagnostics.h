//===- UserDiagnostics.h - Converts diagnostics of passes to CompileErrors ---------===//
//
// Passes report errors as MLIR diagnostics at the location of an operation, which is a line of the user's source. A
// UserDiagnostics object stores the first error with its notes, and all warnings. While the object exists, diagnostics
// are not printed.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PIPELINE_USERDIAGNOSTICS_H
#define HOCKET_PIPELINE_USERDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "support/CompileError.h"

#include <optional>

namespace hocket {

/// Thrown if a kernel is correct, but needs more resources than a block of the target has. Python code receives this
/// exception as hocket.OutOfResources.
class KernelTooLarge : public CompileError {
public:
  using CompileError::CompileError;
};

class UserDiagnostics {
public:
  explicit UserDiagnostics(mlir::MLIRContext *context);

  /// Throws the stored error: a CompileError if the error has a location in the user's source, otherwise an
  /// InternalError. If a pass has marked the error as too large (ReserveMemory.h), the CompileError is a
  /// KernelTooLarge. If no error is stored, throws an InternalError with the text `otherwise`.
  [[noreturn]] void raise(const std::string &otherwise);

  /// Returns the warnings with a location in the user's source. A warning reports an optimization that the user has
  /// requested, but that a pass could not perform.
  const std::vector<Diagnostic> &getWarnings() const { return warnings; }

private:
  std::optional<Diagnostic> first;
  bool isTooLarge = false;
  std::vector<Diagnostic> warnings;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hocket

#endif
