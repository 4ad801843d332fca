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

/// Returns the element type's short name, which kernel signatures contain, such as "f32".
const char *elementName(Element element);
/// Returns NumPy's name of the element type, such as "float32".
const char *elementNumpyName(Element element);
int elementBytes(Element element);
inline bool isFloat(Element element) { return element >= Element::Float8E5; }

/// Converts an element type of DLPack to an Element. Throws a LaunchError that names the kernel's parameter `parameter`
/// if kernels do not support the type, such as complex numbers.
Element elementFromDlpack(dlpack::DataType type, std::string_view parameter);

/// Parses the name of a dtype, such as "torch.float32", "<class 'numpy.float32'>", NumPy's type string "<f4", or
/// Hocket's name "float8e5". Returns nullopt for other texts.
std::optional<Element> parseElement(std::string_view text);

} // namespace hocket::dispatch

#endif
