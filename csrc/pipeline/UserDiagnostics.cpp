//===- UserDiagnostics.cpp - What a pass reports becomes the user's CompileError ---===//
#include "pipeline/UserDiagnostics.h"

#include "dialect/hk/Locations.h"

using namespace mlir;

namespace hocket {

UserDiagnostics::UserDiagnostics(MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &reported) {
        if (reported.getSeverity() != DiagnosticSeverity::Error || first)
          return success(reported.getSeverity() != DiagnosticSeverity::Remark);
        Diagnostic error = hk::diagnosticAt(reported.getLocation());
        error.message = reported.str();
        for (mlir::Diagnostic &note : reported.getNotes()) {
          std::string text = note.str();
          if (StringRef(text).consume_front("hint: "))
            error.hint = text.substr(6);
          else
            error.notes.push_back({"", std::move(text)});
        }
        first = std::move(error);
        return success();
      }) {}

void UserDiagnostics::raise(const std::string &otherwise) {
  if (!first)
    throw InternalError(otherwise);
  if (first->line == 0)
    throw InternalError(first->message);
  throw CompileError(*first);
}

} // namespace hocket
