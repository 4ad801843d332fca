//===- Elements.h - Element types of array libraries ---------------------------------===//
#ifndef HOCKET_DISPATCH_ELEMENTS_H
#define HOCKET_DISPATCH_ELEMENTS_H

#include "third_party/dlpack/DLPack.h"
#include <cstdint>
#include <optional>
#include <string_view>

namespace hocket::dispatch {

enum class Element : uint8_t {
#define ELEMENT(enumerator, ...) enumerator,
#include "support/ElementTypes.def"
};

/// Returns the short name that signatures use, such as "f32".
const char *elementName(Element element);
/// Returns NumPy's name, such as "float32".
const char *elementNumpyName(Element element);
int elementBytes(Element element);
inline bool isFloat(Element element) { return element >= Element::Float8E5; }

/// Returns the Element for an element type of DLPack. Throws a LaunchError that names `parameter` for types that
/// kernels do not support, such as complex numbers.
Element elementFromDlpack(dlpack::DataType type, std::string_view parameter);

/// Parses the text of a dtype: "torch.float32", "<class 'numpy.float32'>", NumPy's type string "<f4", or Hocket's
/// names "int1" and "float8e5".
std::optional<Element> parseElement(std::string_view text);

} // namespace hocket::dispatch

#endif
