//===- SourceFile.h - Text of a Python file ----------------------------------------===//
#ifndef HOCKET_FRONTEND_SOURCEFILE_H
#define HOCKET_FRONTEND_SOURCEFILE_H

#include <string>
#include <vector>

namespace hocket::frontend {

/// The text of a file or a notebook cell, read from the file system or from Python's linecache.
class SourceFile {
public:
  explicit SourceFile(std::string path);

  const std::string &path() const { return filePath; }
  /// Returns line `number`, counted from 1, without its newline; empty if the file has no such line.
  std::string line(int number) const;
  int lineCount() const { return static_cast<int>(lines.size()); }

  /// Returns the text of the definition whose first line, possibly a decorator, is line `first`; newlines are included.
  std::string definitionAt(int first) const;

private:
  std::string filePath;
  std::vector<std::string> lines; ///< lines of the file, with their newlines
};

/// A range of characters in a kernel's source. The SourceFile outlives the compilation. Columns are 0-based byte
/// offsets.
struct SourceRange {
  const SourceFile *file = nullptr;
  int line = 0, column = 0, endLine = 0, endColumn = 0;
};

} // namespace hocket::frontend

#endif
