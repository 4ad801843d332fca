//===- SourceFile.cpp - Text of a Python file ---------------------------------------===//
//
// `definitionAt` finds the end of a function without Python's tokenizer, because the tokenizer would noticeably
// lengthen a cold compile. A definition ends before the first line after its `def` line that meets three conditions:
//   - The line is neither blank nor a comment.
//   - The line is not indented more deeply than the `def`.
//   - The line does not begin inside brackets or a triple-quoted string.
//
//===------------------------------------------------------------------------------===//
#include "frontend/ast/SourceFile.h"
#include "support/CompileError.h"
#include "llvm/Support/ConvertUTF.h"
#include <fstream>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

using namespace hocket::frontend;
namespace py = pybind11;

namespace {

/// Tracks open brackets and triple-quoted strings across the lines of a Python file.
class BracketScanner {
public:
  /// True if the next line begins inside brackets or a triple-quoted string, or follows a backslash.
  bool isContinued() const { return depth > 0 || !tripleQuote.empty() || backslash; }

  void scan(std::string_view line) {
    backslash = false;
    for (size_t i = 0; i < line.size();) {
      if (!tripleQuote.empty()) {
        i = skipTripleQuoted(line, i);
        continue;
      }
      char c = line[i];
      if (c == '#')
        return;
      if (c == '"' || c == '\'') {
        i = startString(line, i);
        continue;
      }
      if (c == '(' || c == '[' || c == '{')
        ++depth;
      else if ((c == ')' || c == ']' || c == '}') && depth > 0)
        --depth;
      else if (c == '\\')
        backslash = line.find_first_not_of("\r\n", i + 1) == std::string_view::npos;
      ++i;
    }
  }

private:
  size_t startString(std::string_view line, size_t i) {
    std::string_view three = line.substr(i, 3);
    if (three == "\"\"\"" || three == "'''") {
      tripleQuote = three;
      return i + 3;
    }
    char quote = line[i];
    for (++i; i < line.size() && line[i] != quote; ++i)
      if (line[i] == '\\')
        ++i;
    return i + 1;
  }

  size_t skipTripleQuoted(std::string_view line, size_t i) {
    for (; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line.substr(i, 3) == tripleQuote) {
        tripleQuote.clear();
        return i + 3;
      }
    }
    return i;
  }

  int depth = 0;
  bool backslash = false;
  std::string tripleQuote;
};

/// Returns the width of the indentation of `line`, with tab stops every 8 columns; nullopt for a blank or comment line.
std::optional<int> indentation(std::string_view line) {
  int columns = 0;
  for (char c : line) {
    if (c == ' ')
      ++columns;
    else if (c == '\t')
      columns = (columns / 8 + 1) * 8;
    else if (c == '\n' || c == '\r' || c == '\f' || c == '#')
      return std::nullopt;
    else
      return columns;
  }
  return std::nullopt;
}

bool beginsDefinition(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with("def ") || line.starts_with("async def ") || line.starts_with("class ");
}

} // namespace

/// Returns the lines of the file at `path`; nullopt if the file is missing, empty or not valid UTF-8.
static std::optional<std::vector<std::string>> readLines(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line + "\n");
  auto isUtf8 = [](const std::string &line) {
    auto *bytes = reinterpret_cast<const llvm::UTF8 *>(line.data());
    return llvm::isLegalUTF8String(&bytes, bytes + line.size());
  };
  if (lines.empty() || !std::all_of(lines.begin(), lines.end(), isUtf8))
    return std::nullopt;
  return lines;
}

SourceFile::SourceFile(std::string path) : filePath(std::move(path)) {
  // Python's linecache is used only if the program has already imported linecache or the file cannot be read, because
  // importing linecache is slow. Notebooks store the text of their cells in linecache.
  bool isLoaded = py::dict(py::module_::import("sys").attr("modules")).contains("linecache");
  std::optional<std::vector<std::string>> fromFile;
  if (!isLoaded && (fromFile = readLines(filePath))) {
    lines = std::move(*fromFile);
    return;
  }
  py::module_ linecache = py::module_::import("linecache");
  displayPath(filePath); // caches the displayed name of a notebook cell for later calls without the GIL
  linecache.attr("checkcache")(filePath); // discards the cached text if the file has changed since linecache read it
  lines = linecache.attr("getlines")(filePath).cast<std::vector<std::string>>();
}

std::string SourceFile::line(int number) const {
  if (number < 1 || number > lineCount())
    return {};
  std::string text = lines[number - 1];
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  return text;
}

std::string SourceFile::definitionAt(int first) const {
  std::string text;
  std::optional<int> margin;
  bool inBody = false;
  BracketScanner scanner;
  for (int number = first; number <= lineCount(); ++number) {
    const std::string &line = lines[number - 1];
    std::optional<int> columns = indentation(line);
    if (columns && !scanner.isContinued()) {
      if (!margin)
        margin = columns;
      else if (inBody && *columns <= *margin)
        break;
      inBody |= *columns == *margin && beginsDefinition(line);
    }
    scanner.scan(line);
    text += line;
  }
  return text;
}
