//===- CompileError.h - A mistake in a kernel, as the user reads it --------------===//
//
// The text:
//
//   kernels/softmax.py:27:13: error: cannot add tensors whose layouts differ
//      27 |     y = x - gl.max(x, axis=1)
//         |             ^~~~~~~~~~~~~~~~~
//     left:   [64, 128] in BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
//     right:  [64] in SliceLayout(1, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
//     hint:   expand the right side: gl.max(x, axis=1)[:, None]
//     in softmax_row, called from kernels/softmax.py:41 in softmax
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_COMPILEERROR_H
#define HOCKET_SUPPORT_COMPILEERROR_H

#include <exception>
#include <string>
#include <vector>

namespace hocket {

/// One labelled line under the source: "left:   [64, 128] in BlockedLayout(...)". Without a label, a plain line.
struct Note {
  std::string label;
  std::string text;
};

/// One step of the way from the kernel to the place of the mistake.
struct CallFrame {
  std::string function;
  std::string callerFile;
  int callerLine = 0;
  std::string caller;
};

struct Diagnostic {
  std::string file = {};
  int line = 0;      ///< 1-based; 0 when the mistake has no place in the source
  int column = 0;    ///< 0-based byte offset in `sourceLine`, as Python's ast counts
  int endColumn = 0; ///< one past the last byte; the end of the line for a range over several lines
  std::string message = {};
  std::vector<Note> notes = {};
  std::string hint = {};                 ///< what to do; several lines allowed
  std::string sourceLine = {};           ///< without the newline
  std::vector<CallFrame> callChain = {}; ///< innermost first

  /// The text above, without a newline at the end. A file below the working directory is shown relative to it.
  std::string render() const;
};

/// A file below the working directory without that directory; others as they are.
std::string displayPath(const std::string &file);

/// Thrown for every mistake of the user that is found while compiling.
class CompileError : public std::exception {
public:
  explicit CompileError(Diagnostic diagnostic);
  const Diagnostic &diagnostic() const { return contents; }
  const char *what() const noexcept override { return text.c_str(); }

private:
  Diagnostic contents;
  std::string text;
};

/// Thrown for a mistake of ours. Never for something the user wrote.
class InternalError : public std::exception {
public:
  explicit InternalError(std::string message) : text("internal error: " + std::move(message)) {}
  const char *what() const noexcept override { return text.c_str(); }

private:
  std::string text;
};

} // namespace hocket

#endif
