//===- Signature.cpp - Argument types as text ------------------------------------------===//
#include "frontend/Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <stdexcept>

using namespace hocket::frontend;

namespace {
struct ShortName {
  std::string_view text;
  DType::Kind dtype;
};
constexpr ShortName kShortNames[] = {
    {"i1", DType::Int1},           {"i8", DType::Int8},           {"i16", DType::Int16},
    {"i32", DType::Int32},         {"i64", DType::Int64},         {"u8", DType::UInt8},
    {"u16", DType::UInt16},        {"u32", DType::UInt32},        {"u64", DType::UInt64},
    {"f8e5", DType::Float8E5},     {"f8e4nv", DType::Float8E4NV}, {"f8e5b16", DType::Float8E5B16},
    {"f8e4b8", DType::Float8E4B8}, {"f16", DType::Float16},       {"bf16", DType::BFloat16},
    {"f32", DType::Float32},       {"f64", DType::Float64}};
} // namespace

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
  const ShortName *found =
      llvm::find_if(kShortNames, [&](const ShortName &s) { return llvm::StringRef(s.text) == typeText; });
  if (found == std::end(kShortNames))
    throw badArgument(text,
                      "unknown type `" + typeText.str() +
                          "`; one of i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e5 f8e4nv f8e5b16 f8e4b8 f16 bf16 f32 f64, "
                          "with * in front for a pointer");
  RuntimeArgument argument{ElementType(found->dtype, isPointer), 1};
  if (rest.contains('=')) {
    int64_t value = 0;
    if (isPointer || !argument.type.dtype.isInteger() || valueText.trim().getAsInteger(10, value))
      throw badArgument(text, "`=` gives the value of an integer");
    return {ConstexprArgument{py::int_(value)}};
  }
  if (beforeValue.contains(':')) {
    if (divisibilityText.trim().getAsInteger(10, argument.divisibility) || argument.divisibility < 1 ||
        !llvm::isPowerOf2_64(argument.divisibility))
      throw badArgument(text, "`:` is followed by a power of two");
    if (!isPointer && !argument.type.dtype.isInteger())
      throw badArgument(text, "only pointers and integers have a divisibility");
  }
  return {argument};
}

std::string hocket::frontend::formatArgument(const RuntimeArgument &argument) {
  std::string text = argument.type.isPointer ? "*" : "";
  for (const ShortName &name : kShortNames)
    if (name.dtype == argument.type.dtype)
      text += name.text;
  return argument.divisibility > 1 ? text + ":" + std::to_string(argument.divisibility) : text;
}
