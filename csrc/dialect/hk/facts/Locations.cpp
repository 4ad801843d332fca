//===- Locations.cpp - Conversion of MLIR locations to source locations -----------===//
//
// The front end gives each operation a range in a file, inside a NameLoc with the function's name, inside one
// CallSiteLoc for each call of a jit function that was inlined. MLIR's passes fuse the locations of operations that
// they merge.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Locations.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <climits>

using namespace mlir;

namespace hocket::hk {

namespace {
struct Place {
  FileLineColRange range; ///< range in a source file, possibly a single position; null if there is none
  StringRef function;     ///< name of the function, from a NameLoc around the range
};
} // namespace

static Place innermostPlace(Location loc) {
  return llvm::TypeSwitch<LocationAttr, Place>(loc)
      .Case([](FileLineColRange range) { return Place{range, {}}; })
      .Case([](NameLoc named) {
        Place found = innermostPlace(named.getChildLoc());
        return Place{found.range, found.function.empty() ? named.getName().getValue() : found.function};
      })
      .Case([](CallSiteLoc call) { return innermostPlace(call.getCallee()); })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (Place found = innermostPlace(part); found.range)
            return found;
        return Place{};
      })
      .Default([](LocationAttr) { return Place{}; });
}

/// Returns the calls that led to `loc`, innermost first.
static std::vector<CallFrame> callChain(Location loc) {
  std::vector<CallFrame> chain;
  while (auto call = dyn_cast<CallSiteLoc>(loc)) {
    Place callee = innermostPlace(call.getCallee()), caller = innermostPlace(call.getCaller());
    if (caller.range)
      chain.push_back({callee.function.str(), caller.range.getFilename().str(),
                       static_cast<int>(caller.range.getStartLine()), caller.function.str()});
    loc = call.getCaller();
  }
  return chain;
}

Diagnostic diagnosticAt(Location loc) {
  FileLineColRange range = innermostPlace(loc).range;
  if (!range)
    return {};
  Diagnostic diagnostic;
  diagnostic.file = range.getFilename().str();
  diagnostic.line = static_cast<int>(range.getStartLine());
  diagnostic.column = std::max(0, static_cast<int>(range.getStartColumn()) - 1);
  bool isOneLine = range.getEndLine() == range.getStartLine();
  diagnostic.endColumn =
      isOneLine ? std::max(diagnostic.column + 1, static_cast<int>(range.getEndColumn()) - 1) : INT_MAX;
  diagnostic.callChain = callChain(loc);
  return diagnostic;
}

std::string lineOf(Operation *op, StringRef before, StringRef after, StringRef unknown) {
  int line = diagnosticAt(op->getLoc()).line;
  return line > 0 ? (before + "line " + Twine(line) + after).str() : unknown.str();
}

} // namespace hocket::hk
