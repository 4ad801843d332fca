//===- ReadIr.cpp - Reads handwritten IR text ----------------------------------------------===//
#include "tools/ReadIr.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket {

/// Returns `text` without leading whitespace and comments.
static StringRef skipBlanks(StringRef text) {
  text = text.ltrim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text;
}

/// Skips the string literal at the start of `text`, which begins with a quotation mark, and returns the rest of `text`.
static StringRef skipString(StringRef text) {
  size_t end = 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  return text.drop_front(std::min(end + 1, text.size()));
}

/// Returns the first word of `text`. A name with a sigil (#array) or with a dialect's prefix (llvm.array) is one word.
static StringRef firstWord(StringRef text) {
  return text.take_while([](char c) { return isAlnum(c) || StringRef("_$.#!%@^-").contains(c); });
}

/// True if `text`, the text after the word `array`, starts an array attribute whose element type has no width (such as
/// `index`) or is an alias.
static bool lacksWidth(StringRef text) {
  text = skipBlanks(text);
  if (!text.consume_front("<"))
    return false;
  StringRef type = firstWord(skipBlanks(text));
  return type == "index" || type.starts_with("!");
}

/// True if one of the comma-separated integers at the start of `text` needs more than 32 bits.
static bool hasWideNumber(StringRef text) {
  do {
    int64_t number = 0;
    text = skipBlanks(text);
    if (text.consumeInteger(0, number))
      return false; // no integer, or an integer of more than 64 bits, for which MLIR reports an error
    if (!isInt<32>(number))
      return true;
    text = skipBlanks(text);
  } while (text.consume_front(","));
  return false;
}

namespace {
struct Unreadable {
  const char *place = nullptr;
  StringRef why;
};
} // namespace

/// Returns the location of the first construct in `text` that would crash MLIR's parser; the location is null if there
/// is no such construct.
static Unreadable findUnreadable(StringRef text) {
  StringRef before; // the last word `position` or `llvm.*` before `text`; empty after a checked position
  for (text = skipBlanks(text); !text.empty(); text = skipBlanks(text)) {
    const char *begin = text.data();
    if (text.front() == '"') {
      text = skipString(text);
      continue;
    }
    StringRef word = firstWord(text);
    bool isPlace = text.front() == '[' && (before == "llvm.insertvalue" || before == "llvm.extractvalue");
    text = text.drop_front(std::max<size_t>(word.size(), 1));
    if (word == "array" && lacksWidth(text))
      return {begin, "MLIR cannot read an array attribute of this type; write integers of a known width, as in "
                     "array<i64: 1>"};
    isPlace |= word == "array" && before == "position";
    if (isPlace && hasWideNumber(word.empty() ? text : text.split(':').second))
      return {begin, "MLIR cannot read a position in a struct that takes more than 32 bits"};
    if (isPlace || word == "position" || word.starts_with("llvm."))
      before = isPlace ? StringRef() : word;
  }
  return {};
}

std::unique_ptr<MemoryBuffer> openIr(StringRef file) {
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = mlir::openInputFile(file, &problem);
  if (!buffer) {
    errs() << problem << "\n";
    return nullptr;
  }
  Unreadable found = findUnreadable(buffer->getBuffer());
  if (!found.place)
    return buffer;
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  sources.PrintMessage(SMLoc::getFromPointer(found.place), SourceMgr::DK_Error, found.why);
  return nullptr;
}

} // namespace hocket
