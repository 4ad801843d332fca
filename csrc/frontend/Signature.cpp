//===- Signature.cpp - Argument types as text ------------------------------------------===//
#include "frontend/Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <stdexcept>

using namespace hocket::frontend;

static std::invalid_argument badArgument(std::string_view text, const std::string &reason) {
  return std::invalid_argument("signature: `" + std::string(text) + "`: " + reason);
}

ArgumentSpec hocket::frontend::parseArgument(std::string_view text) {
  llvm::StringRef rest = llvm::StringRef(text).trim();
  if (rest == "None")
    return {ConstexprArgument{py::none()}};
  bool isPointer = rest.consume_front("*");
  auto [beforeValue, valueText] = rest.split('=');
  auto [typeText, divisibilityText] = beforeValue.split(':');
  typeText = typeText.trim();
  if (typeText == "u1")
    typeText = "i1";
  std::optional<DType> dtype = DType::fromShortName(typeText);
  if (!dtype)
    throw badArgument(text, "unknown type `" + typeText.str() + "`; the types are " + DType::shortNames() +
                                ", with a prefix * for pointers");
  RuntimeArgument argument{ElementType(*dtype, isPointer), 1};
  if (rest.contains('=')) {
    int64_t value = 0;
    if (isPointer || !argument.type.dtype.isInteger() || valueText.trim().getAsInteger(10, value))
      throw badArgument(text, "`=` must be followed by the value of an integer argument");
    return {ConstexprArgument{py::int_(value)}};
  }
  if (beforeValue.contains(':')) {
    if (divisibilityText.trim().getAsInteger(10, argument.divisibility) || argument.divisibility < 1 ||
        !llvm::isPowerOf2_64(argument.divisibility))
      throw badArgument(text, "`:` must be followed by a power of two");
    if (!isPointer && !argument.type.dtype.isInteger())
      throw badArgument(text, "only pointers and integers have a divisibility");
  }
  return {argument};
}

std::string hocket::frontend::formatArgument(const RuntimeArgument &argument) {
  std::string text = argument.type.isPointer ? "*" : "";
  text += argument.type.dtype.shortName();
  return argument.divisibility > 1 ? text + ":" + std::to_string(argument.divisibility) : text;
}
