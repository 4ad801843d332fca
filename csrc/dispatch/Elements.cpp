//===- Elements.cpp - Element types of array libraries -------------------------------===//
#include "dispatch/Elements.h"
#include "runtime/LaunchError.h"
#include <string>

namespace hocket::dispatch {

namespace {
struct ElementFacts {
  const char *name, *shortName;
  int bits;
  const char *numpyName, *typeString;
  uint8_t dlpackCode;

  /// Returns the number of bits that an element of the type occupies in memory: 8 for a bool.
  int memoryBits() const { return bits < 8 ? 8 : bits; }
};
} // namespace

// Names, widths and type codes of all element types, in the order of the enumeration Element.
static constexpr ElementFacts kElements[] = {
#define ELEMENT(enumerator, name, shortName, bits, numpyName, typeString, dlpackCode)                                  \
  {name, shortName, bits, numpyName, typeString, dlpack::dlpackCode},
#include "support/ElementTypes.def"
};

const char *elementName(Element element) { return kElements[int(element)].shortName; }
const char *elementNumpyName(Element element) { return kElements[int(element)].numpyName; }
int elementBytes(Element element) { return kElements[int(element)].memoryBits() / 8; }

Element elementFromDlpack(dlpack::DataType type, std::string_view parameter) {
  if (type.lanes == 1)
    for (size_t i = 0; i < std::size(kElements); ++i)
      if (kElements[i].dlpackCode == type.code && kElements[i].memoryBits() == type.bits)
        return Element(i);
  throw LaunchError("argument `" + std::string(parameter) +
                    "` has elements of a type that kernels do not support (DLPack type code " +
                    std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits)");
}

std::optional<Element> parseElement(std::string_view text) {
  // If `text` has no '.', find_last_of returns npos, and npos + 1 is 0.
  std::string_view name = text.substr(text.find_last_of('.') + 1);
  name = name.substr(0, name.find_last_not_of("'>") + 1);
  for (size_t i = 0; i < std::size(kElements); ++i)
    if (name == kElements[i].name || name == kElements[i].numpyName ||
        (!name.empty() && name == kElements[i].typeString))
      return Element(i);
  return std::nullopt;
}

} // namespace hocket::dispatch
