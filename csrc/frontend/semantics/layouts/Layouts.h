//===- Layouts.h - Layouts between Python and the IR --------------------------------===//
//
// Python has checked the fields of a layout; what depends on the kernel (warps, lanes, the tensor's shape) is checked
// here. Which classes there are, and what each is in the IR, is the table of LayoutClass.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_LAYOUTS_H
#define HOCKET_FRONTEND_SEMANTICS_LAYOUTS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The attribute of a layout object, whatever the kernel; null for an object that is no layout, or one that kernels do
/// not support.
mlir::Attribute layoutFromPython(mlir::MLIRContext *context, py::handle object);
/// The layout object of an attribute. Its text, as messages show it, is `describeLayout`.
py::object layoutToPython(mlir::Attribute layout);
/// As messages show a layout: "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])".
std::string describeLayout(mlir::Attribute layout);

/// Argument `index` as the layout of a tensor of `shape`: distributed, of that rank, made for this kernel's warps and
/// this target's lanes; or not decided (AutoLayout, CoalescedLayout).
mlir::Attribute distributedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape);
/// The same where None stands for AutoLayout.
mlir::Attribute layoutOrAutoAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape);
/// The same where it must be decided.
mlir::Attribute decidedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape);
/// Argument `index` as the layout of a buffer of `shape` and `element`: shared, of its rank or one less (a ring of
/// slots).
mlir::Attribute sharedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape,
                               DType element);

} // namespace hocket::frontend

#endif
