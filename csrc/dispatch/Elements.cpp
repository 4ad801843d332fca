//===- Elements.cpp - Element types of array libraries -------------------------------===//
#include "dispatch/Elements.h"
#include "runtime/LaunchError.h"
#include <string>

namespace hocket::dispatch {

namespace {
struct ElementFacts {
  const char *name, *numpyName, *typeString;
  uint8_t dlpackCode;
  int bits;
};
} // namespace

// Facts about each element type, in the order of Element. Type strings are those of NumPy's array interface, or "".
static constexpr ElementFacts kElements[] = {
    {"i1", "bool", "|b1", dlpack::kBool, 8},
    {"i8", "int8", "|i1", dlpack::kInt, 8},
    {"i16", "int16", "<i2", dlpack::kInt, 16},
    {"i32", "int32", "<i4", dlpack::kInt, 32},
    {"i64", "int64", "<i8", dlpack::kInt, 64},
    {"u8", "uint8", "|u1", dlpack::kUInt, 8},
    {"u16", "uint16", "<u2", dlpack::kUInt, 16},
    {"u32", "uint32", "<u4", dlpack::kUInt, 32},
    {"u64", "uint64", "<u8", dlpack::kUInt, 64},
    {"f8e5", "float8_e5m2", "", dlpack::kFloat8E5m2, 8},
    {"f8e4nv", "float8_e4m3fn", "", dlpack::kFloat8E4m3fn, 8},
    {"f8e5b16", "float8_e5m2fnuz", "", dlpack::kFloat8E5m2fnuz, 8},
    {"f8e4b8", "float8_e4m3fnuz", "", dlpack::kFloat8E4m3fnuz, 8},
    {"f16", "float16", "<f2", dlpack::kFloat, 16},
    {"bf16", "bfloat16", "", dlpack::kBfloat, 16},
    {"f32", "float32", "<f4", dlpack::kFloat, 32},
    {"f64", "float64", "<f8", dlpack::kFloat, 64},
};

const char *elementName(Element element) { return kElements[int(element)].name; }
const char *elementNumpyName(Element element) { return kElements[int(element)].numpyName; }
int elementBytes(Element element) { return kElements[int(element)].bits / 8; }

Element elementFromDlpack(dlpack::DataType type, std::string_view parameter) {
  if (type.lanes == 1)
    for (size_t i = 0; i < std::size(kElements); ++i)
      if (kElements[i].dlpackCode == type.code && kElements[i].bits == type.bits)
        return Element(i);
  throw LaunchError("argument `" + std::string(parameter) +
                    "` has elements of a type that kernels do not support (DLPack type code " +
                    std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits)");
}

std::optional<Element> parseElement(std::string_view text) {
  std::string_view name = text.substr(text.find_last_of('.') + 1); // npos + 1 is 0
  name = name.substr(0, name.find_last_not_of("'>") + 1);
  if (name == "int1")
    return Element::I1;
  if (name == "float8e5")
    return Element::F8E5;
  if (name == "float8e4nv")
    return Element::F8E4NV;
  if (name == "float8e5b16")
    return Element::F8E5B16;
  if (name == "float8e4b8")
    return Element::F8E4B8;
  for (size_t i = 0; i < std::size(kElements); ++i)
    if (name == kElements[i].numpyName || (!name.empty() && name == kElements[i].typeString))
      return Element(i);
  return std::nullopt;
}

} // namespace hocket::dispatch
