//===- Elements.cpp - Element types of Python's dtype objects --------------------------===//
#include "bindings/dispatch/Elements.h"
#include "runtime/LaunchError.h"
#include <string>
#include <vector>

namespace py = pybind11;

namespace hocket::dispatch {

std::optional<Element> findElement(py::handle dtype) {
  struct Known {
    PyObject *dtype;
    Element element;
  };
  // Array libraries have one Python object for each dtype, so a linear search in the dtypes found before is fast.
  static auto *known = new std::vector<Known>;
  for (const Known &entry : *known)
    if (entry.dtype == dtype.ptr())
      return entry.element;
  std::optional<Element> element = parseElement(py::str(dtype).cast<std::string>());
  constexpr size_t kMostRemembered = 64;
  if (element && known->size() < kMostRemembered)
    known->push_back({dtype.inc_ref().ptr(), *element});
  return element;
}

Element elementFromObject(py::handle dtype, std::string_view parameter) {
  if (auto element = findElement(dtype))
    return *element;
  throw LaunchError("argument `" + std::string(parameter) + "` has elements of type " +
                    py::str(dtype).cast<std::string>() +
                    ", which kernels do not support\n  hint: convert it, as with x.astype('float32')");
}

} // namespace hocket::dispatch
