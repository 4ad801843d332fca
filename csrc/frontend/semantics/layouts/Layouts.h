//===- Layouts.h - Conversion of layouts between Python and the IR ------------------===//
//
// Python has verified the fields of a layout; the conditions that depend on the kernel (warps, lanes, the tensor's
// shape) are verified here. LayoutClass.h has the table of classes and their attributes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_LAYOUTS_H
#define HOCKET_FRONTEND_SEMANTICS_LAYOUTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Returns the attribute of a layout object, independent of the kernel; null for an object that is not a layout, or a
/// layout that kernels do not support.
mlir::Attribute layoutFromPython(mlir::MLIRContext *context, py::handle object);
/// Returns the layout object of an attribute. `describeLayout` returns its text for messages.
py::object layoutToPython(mlir::Attribute layout);
/// Returns the text of a layout for messages: "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])".
std::string describeLayout(mlir::Attribute layout);

/// Returns argument `index` as the layout of a tensor of `shape`: distributed, of that rank, for this kernel's warps
/// and this target's lanes; or undecided (AutoLayout, CoalescedLayout).
mlir::Attribute distributedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape);
/// Same as distributedLayoutAt, except that None means AutoLayout.
mlir::Attribute layoutOrAutoAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape);
/// Same as distributedLayoutAt, except that an undecided layout is an error.
mlir::Attribute decidedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape);
/// Returns argument `index` as the layout of a buffer of `shape` and `element`: shared, of its rank or one less (a
/// ring).
mlir::Attribute sharedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape,
                               DType element);

} // namespace hocket::frontend

#endif
