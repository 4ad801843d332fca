//===- CompileError.h - Errors in users' kernels, and their text -----------------===//
//
// The text of an error:
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

/// One line of an error's text below the source line, e.g. "left:   [64, 128] in BlockedLayout(...)", where "left" is
/// the label. A note without a label is shown without a colon.
struct Note {
  std::string label;
  std::string text;
};

/// One call on the path from the kernel to the error's location.
struct CallFrame {
  std::string function;
  std::string callerFile;
  int callerLine = 0;
  std::string caller;
};

struct Diagnostic {
  std::string file = {};
  int line = 0;      ///< 1-based line number; 0 if the error has no source location
  int column = 0;    ///< 0-based byte offset in `sourceLine`, like col_offset of Python's ast
  int endColumn = 0; ///< byte offset after the last byte; if the code spans several lines, the end of the first line
  std::string message = {};
  std::vector<Note> notes = {};
  std::string hint = {};                 ///< advice to the user; can consist of several lines
  std::string sourceLine = {};           ///< the source line, without the newline
  std::vector<CallFrame> callChain = {}; ///< calls on the path to the error, innermost call first

  /// Returns the text of the error, in the format at the top of this file, without a trailing newline. Paths below the
  /// working directory are shown relative to the working directory.
  std::string render() const;
};

/// Returns how messages show the path `file`: by the name of a notebook cell, by the path relative to the working
/// directory if `file` is below this directory, or by `file` itself.
std::string displayPath(const std::string &file);

/// Thrown for every error in a user's program that is found during compilation.
class CompileError : public std::exception {
public:
  explicit CompileError(Diagnostic diagnostic);
  const Diagnostic &diagnostic() const { return contents; }
  const char *what() const noexcept override { return text.c_str(); }

private:
  Diagnostic contents;
  std::string text;
};

/// Thrown for a bug in Hocket, never for an error in a user's program.
class InternalError : public std::exception {
public:
  explicit InternalError(std::string message) : text("internal error: " + std::move(message)) {}
  const char *what() const noexcept override { return text.c_str(); }

private:
  std::string text;
};

} // namespace hocket

#endif
