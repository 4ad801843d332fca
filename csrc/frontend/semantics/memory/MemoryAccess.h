//===- MemoryAccess.h - Common arguments of loads, stores and atomics ----------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Shape, layout and element type of a memory access. Masks and values are broadcast to the shape of `type`, and values
/// are converted to `element`.
struct AccessShape {
  ValueType type;            ///< type of the pointers, offsets or indices: shape and layout of the access
  DType element;             ///< element type of the accessed values
  std::string_view argument; ///< name of the argument whose type is `type`, for messages
};

/// Returns the type of elements of type `element` in memory: int8 for a bool.
inline DType memoryType(DType element) { return element.isBool() ? DType(DType::Int8) : element; }

/// Returns argument `parameter`, which must be a pointer or a tensor of pointers.
Runtime pointerAt(Emitter &e, const Arguments &args, ParameterName parameter);
/// Returns `addresses`, the value of argument `parameter`. Addresses in an undecided layout are converted to the layout
/// of another tensor argument of the call.
Runtime settledAddresses(Emitter &e, const Arguments &args, ParameterName parameter, const Runtime &addresses);
/// Returns the shape and element type of the access through `pointer`, the value of argument `parameter`. Replaces
/// `pointer` by the result of settledAddresses.
AccessShape accessShapeAt(Emitter &e, const Arguments &args, ParameterName parameter, Runtime &pointer);
/// Returns the mask given by argument `parameter`: int1 values, broadcast to the shape of the access. Returns null for
/// None and for the constexpr True.
mlir::Value maskAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape,
                   bool takesIntegers = false);
/// Returns argument `parameter`, converted to the element type in memory and broadcast to the shape of the access.
Runtime elementsAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape);
/// Returns argument `parameter`, the replacement for elements that `mask` excludes; null for None. `maskName` is the
/// parameter of the builtin whose argument is the mask.
mlir::Value otherAt(Emitter &e, const Arguments &args, ParameterName parameter, ParameterName maskName,
                    mlir::Value mask, const AccessShape &shape);

/// Returns the enumerator that `choices` contains for argument `parameter`, a string. Raises an error for other
/// strings.
template <typename Enum>
Enum enumAt(Emitter &e, const Arguments &args, ParameterName parameter,
            std::initializer_list<std::pair<std::string_view, Enum>> choices) {
  std::string text = args.stringAt(e, parameter), known;
  for (auto [name, value] : choices) {
    if (name == text)
      return value;
    known += (known.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  e.errorAt(args.where(parameter), args.what(parameter) + " must be one of " + known + ", but is \"" + text + "\"");
}

} // namespace hocket::frontend

#endif
