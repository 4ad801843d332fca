//===- SourceFile.h - The text of a Python file, for messages and functions --------===//
#ifndef HOCKET_FRONTEND_SOURCEFILE_H
#define HOCKET_FRONTEND_SOURCEFILE_H

#include <string>
#include <vector>

namespace hocket::frontend {

/// The text comes from the file, or from Python's linecache, which also knows the cells of notebooks.
class SourceFile {
public:
  explicit SourceFile(std::string path);

  const std::string &path() const { return filePath; }
  /// Line `number` (from 1) without its newline; empty outside the file.
  std::string line(int number) const;
  int lineCount() const { return static_cast<int>(lines.size()); }

  /// The text of the definition that begins at line `first` (its decorators included), with the newlines.
  std::string definitionAt(int first) const;

private:
  std::string filePath;
  std::vector<std::string> lines; ///< with their newlines
};

/// A range of a kernel's source; `file` outlives the compilation. Columns are 0-based byte offsets.
struct SourceRange {
  const SourceFile *file = nullptr;
  int line = 0, column = 0, endLine = 0, endColumn = 0;
};

} // namespace hocket::frontend

#endif
