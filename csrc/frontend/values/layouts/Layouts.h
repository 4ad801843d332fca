//===- Layouts.h - Conversion of layouts between Python and the IR ------------------===//
//
// The Python class of a layout has already verified the layout's fields. LayoutClass.h describes the table of layout
// classes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUES_LAYOUTS_LAYOUTS_H
#define HOCKET_FRONTEND_VALUES_LAYOUTS_LAYOUTS_H

#include "mlir/IR/Attributes.h"
#include <pybind11/pybind11.h>
#include <string>

namespace hocket::frontend {
namespace py = pybind11;

/// Converts a layout object of Python to its attribute, which does not depend on the kernel. Returns null for an object
/// that is not a layout, and for a layout that kernels do not support.
mlir::Attribute layoutFromPython(mlir::MLIRContext *context, py::handle object);
/// Converts a layout attribute to its Python object.
py::object layoutToPython(mlir::Attribute layout);
/// Returns the text of a layout for messages, such as "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])".
std::string describeLayout(mlir::Attribute layout);

} // namespace hocket::frontend

#endif
