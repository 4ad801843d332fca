//===- ReadIr.cpp - Reading IR text that somebody wrote by hand ----------------------------===//
#include "tools/ReadIr.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket {

/// `text` after blanks and any comments.
static StringRef skipBlanks(StringRef text) {
  text = text.ltrim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text;
}

/// `text`, which begins with a quotation mark, after its string.
static StringRef skipString(StringRef text) {
  size_t end = 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  return text.drop_front(std::min(end + 1, text.size()));
}

/// The word at the beginning of `text`; names with a sigil (#array) and dialects' (llvm.array) are one word.
static StringRef firstWord(StringRef text) {
  return text.take_while([](char c) { return isAlnum(c) || StringRef("_$.#!%@^-").contains(c); });
}

/// Where an array attribute of numbers without a width begins, or null.
static const char *findArrayWithoutWidth(StringRef text) {
  for (text = skipBlanks(text); !text.empty(); text = skipBlanks(text)) {
    if (text.front() == '"') {
      text = skipString(text);
      continue;
    }
    StringRef word = firstWord(text);
    const char *begin = text.data();
    text = text.drop_front(std::max<size_t>(word.size(), 1));
    if (word != "array" || !skipBlanks(text).starts_with("<"))
      continue;
    StringRef type = firstWord(skipBlanks(skipBlanks(text).drop_front()));
    if (type == "index" || type.starts_with("!"))
      return begin;
  }
  return nullptr;
}

std::unique_ptr<MemoryBuffer> openIr(StringRef file) {
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = mlir::openInputFile(file, &problem);
  if (!buffer) {
    errs() << problem << "\n";
    return nullptr;
  }
  const char *array = findArrayWithoutWidth(buffer->getBuffer());
  if (!array)
    return buffer;
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  sources.PrintMessage(SMLoc::getFromPointer(array), SourceMgr::DK_Error,
                       "MLIR cannot read an array attribute of this type; write integers of a known width, as in "
                       "array<i64: 1>");
  return nullptr;
}

} // namespace hocket
