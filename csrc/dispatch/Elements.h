//===- Elements.h - Element types of array libraries ---------------------------------===//
#ifndef HOCKET_DISPATCH_ELEMENTS_H
#define HOCKET_DISPATCH_ELEMENTS_H

#include "third_party/dlpack/DLPack.h"
#include <cstdint>
#include <optional>
#include <string_view>

namespace hocket::dispatch {

/// Element types, in the order and spelling of signatures; see frontend/Signature.h.
enum class Element : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E5,
  F8E4NV,
  F8E5B16,
  F8E4B8,
  F16,
  BF16,
  F32,
  F64
};

const char *elementName(Element element);
/// Returns NumPy's name: "float32".
const char *elementNumpyName(Element element);
int elementBytes(Element element);
inline bool isFloat(Element element) { return element >= Element::F8E5; }

/// Throws LaunchError naming `parameter` for types that kernels do not support, such as complex numbers.
Element elementFromDlpack(dlpack::DataType type, std::string_view parameter);

/// Parses the text of a dtype: "torch.float32", "<class 'numpy.float32'>", NumPy's type string "<f4". "int1" and
/// "float8e5" are Hocket's own names.
std::optional<Element> parseElement(std::string_view text);

} // namespace hocket::dispatch

#endif
