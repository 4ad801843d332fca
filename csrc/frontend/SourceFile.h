//===- SourceFile.h - The text of a Python file, for messages and functions --------===//
#ifndef HOCKET_FRONTEND_SOURCEFILE_H
#define HOCKET_FRONTEND_SOURCEFILE_H

#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

namespace hocket::frontend {

/// Lines come from Python's linecache, which also knows the cells of notebooks.
class SourceFile {
public:
  explicit SourceFile(std::string path);

  const std::string &path() const { return filePath; }
  /// Line `number` (from 1) without its newline; empty outside the file.
  std::string line(int number) const;
  int lineCount() const { return static_cast<int>(pybind11::len(lines)); }

  /// The text of the definition that begins at line `first` (its decorators included), with the newlines.
  std::string definitionAt(int first) const;

private:
  std::string filePath;
  pybind11::list lines;
};

} // namespace hocket::frontend

#endif
