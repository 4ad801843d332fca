//===- Layouts.h - Conversion of layouts between Python and the IR ------------------===//
//
// The Python classes have verified the fields of a layout. semantics/layouts/LayoutArguments.h verifies the conditions
// that depend on the kernel: the numbers of warps and lanes, and the tensor's shape. LayoutClass.h describes the table
// of layout classes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUES_LAYOUTS_LAYOUTS_H
#define HOCKET_FRONTEND_VALUES_LAYOUTS_LAYOUTS_H

#include "mlir/IR/Attributes.h"
#include <pybind11/pybind11.h>
#include <string>

namespace hocket::frontend {
namespace py = pybind11;

/// Returns the attribute of a layout object, independent of the kernel; null for an object that is not a layout, or a
/// layout that kernels do not support.
mlir::Attribute layoutFromPython(mlir::MLIRContext *context, py::handle object);
/// Returns the Python object of a layout attribute.
py::object layoutToPython(mlir::Attribute layout);
/// Returns the text of a layout for messages, such as "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])".
std::string describeLayout(mlir::Attribute layout);

} // namespace hocket::frontend

#endif
