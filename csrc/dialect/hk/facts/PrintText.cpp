//===- PrintText.cpp - Format strings with placeholders for values ------------------===//
#include "dialect/hk/facts/PrintText.h"

#include "llvm/ADT/StringRef.h"

using namespace mlir;

namespace hocket::hk {

std::string escapePrintText(StringRef text) {
  std::string escaped;
  for (char character : text)
    escaped.append(character == '{' ? 2 : 1, character);
  return escaped;
}

std::string printedElement(size_t rank) {
  if (rank == 0)
    return "";
  std::string format = "[";
  for (size_t dim = 0; dim < rank; ++dim)
    format += dim ? ", %d" : "%d";
  return format + "] ";
}

/// Returns the printf directive for a value of `type` at the placeholder with letter `letter`.
static std::optional<std::string> directiveFor(char letter, Type type) {
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) && !type.isInteger(64))
    return std::nullopt;
  bool isWide = type.getIntOrFloatBitWidth() == 64, isFloat = isa<FloatType>(type);
  switch (letter) {
  case 'f':
    return isFloat ? std::optional(isWide ? "%.12g" : "%g") : std::nullopt;
  case 'x':
    return isFloat ? std::nullopt : std::optional(isWide ? "0x%016llx" : "0x%08x");
  case 'd':
  case 'u':
    return isFloat ? std::nullopt : std::optional(std::string(isWide ? "%ll" : "%") + letter);
  default:
    return std::nullopt;
  }
}

std::optional<std::string> printfFormat(StringRef text, ArrayRef<Type> types) {
  std::string format;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      format.append(text[i] == '%' ? 2 : 1, text[i]);
      continue;
    }
    if (text.substr(i + 1).starts_with("{")) {
      format += text[++i];
      continue;
    }
    if (types.empty() || i + 2 >= text.size() || text[i + 2] != '}')
      return std::nullopt;
    std::optional<std::string> directive = directiveFor(text[i + 1], types.consume_front());
    if (!directive)
      return std::nullopt;
    format += *directive;
    i += 2;
  }
  return types.empty() ? std::optional(format) : std::nullopt;
}

} // namespace hocket::hk
