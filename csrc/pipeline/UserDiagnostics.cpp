//===- UserDiagnostics.cpp - MLIR locations and diagnostics in the user's words ----===//
#include "pipeline/UserDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

#include <climits>
#include <fstream>

using namespace mlir;

namespace hocket {

/// The innermost place in a source file, with the function's name where a NameLoc around it tells.
struct SourcePlace {
  FileLineColRange place; // a single position is a range too
  StringRef function;
};

static SourcePlace findPlace(Location loc) {
  return llvm::TypeSwitch<LocationAttr, SourcePlace>(loc)
      .Case([](FileLineColRange place) { return SourcePlace{place, {}}; })
      .Case([](NameLoc named) {
        SourcePlace found = findPlace(named.getChildLoc());
        return SourcePlace{found.place, found.function.empty() ? named.getName().getValue() : found.function};
      })
      .Case([](CallSiteLoc call) { return findPlace(call.getCallee()); })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (SourcePlace found = findPlace(part); found.place)
            return found;
        return SourcePlace{};
      })
      .Default([](LocationAttr) { return SourcePlace{}; });
}

/// The calls that led to `loc`, innermost first.
static std::vector<CallFrame> callChain(Location loc) {
  std::vector<CallFrame> chain;
  Location rest = loc;
  while (auto call = dyn_cast<CallSiteLoc>(rest)) {
    SourcePlace callee = findPlace(call.getCallee()), caller = findPlace(call.getCaller());
    if (caller.place)
      chain.push_back({callee.function.str(), caller.place.getFilename().str(),
                       static_cast<int>(caller.place.getStartLine()), caller.function.str()});
    rest = call.getCaller();
  }
  return chain;
}

static std::string readLine(const std::string &path, int number) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < number && std::getline(file, line); ++i)
    ;
  return file ? line : "";
}

UserDiagnostics::UserDiagnostics(MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &reported) {
        if (reported.getSeverity() != DiagnosticSeverity::Error || first)
          return success(reported.getSeverity() != DiagnosticSeverity::Remark);
        Diagnostic error;
        error.message = reported.str();
        if (SourcePlace found = findPlace(reported.getLocation()); found.place) {
          error.file = found.place.getFilename().str();
          error.line = static_cast<int>(found.place.getStartLine());
          error.column = std::max(0, static_cast<int>(found.place.getStartColumn()) - 1);
          bool isOneLine = found.place.getEndLine() == found.place.getStartLine();
          error.endColumn =
              isOneLine ? std::max(error.column + 1, static_cast<int>(found.place.getEndColumn()) - 1) : INT_MAX;
          error.sourceLine = readLine(error.file, error.line);
          error.callChain = callChain(reported.getLocation());
        }
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
