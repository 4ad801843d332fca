//===- UserDiagnostics.cpp - Converts diagnostics of passes to CompileErrors ---===//
#include "pipeline/UserDiagnostics.h"

#include "dialect/hk/facts/Locations.h"
#include "transforms/ReserveMemory.h"

using namespace mlir;

namespace hocket {

static Diagnostic toDiagnostic(mlir::Diagnostic &reported) {
  Diagnostic diagnostic = hk::diagnosticAt(reported.getLocation());
  diagnostic.message = reported.str();
  for (mlir::Diagnostic &note : reported.getNotes()) {
    std::string text = note.str();
    if (StringRef(text).consume_front("hint: "))
      diagnostic.hint = text.substr(6);
    else
      diagnostic.notes.push_back({"", std::move(text)});
  }
  return diagnostic;
}

UserDiagnostics::UserDiagnostics(MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &reported) {
        if (reported.getSeverity() == DiagnosticSeverity::Error && !first) {
          first = toDiagnostic(reported);
          isTooLarge = saysTooLarge(reported);
        }
        if (reported.getSeverity() == DiagnosticSeverity::Warning)
          if (Diagnostic warning = toDiagnostic(reported); warning.line > 0)
            warnings.push_back(std::move(warning));
        return success(reported.getSeverity() != DiagnosticSeverity::Remark);
      }) {}

void UserDiagnostics::raise(const std::string &otherwise) {
  if (!first)
    throw InternalError(otherwise);
  if (first->line == 0)
    throw InternalError(first->message);
  if (isTooLarge)
    throw KernelTooLarge(*first);
  throw CompileError(*first);
}

} // namespace hocket
