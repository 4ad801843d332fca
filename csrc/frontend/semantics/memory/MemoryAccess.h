//===- MemoryAccess.h - Common arguments of loads, stores and atomics ----------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Shape and element type of an access. Masks and values are broadcast to the shape of `type`, and values are converted
/// to `element`.
struct AccessShape {
  ValueType type; ///< type of the argument that has the shape and layout: the pointers, or the offsets from a base
  DType element;  ///< element type in memory
  std::string_view argument; ///< the argument's name, for messages
};

/// Returns the type that memory holds for an element: bools are bytes.
inline DType memoryType(DType element) { return element.isBool() ? DType(DType::Int8) : element; }

/// Returns argument `parameter`, which must be a pointer or a tensor of pointers.
Runtime pointerAt(Emitter &e, const Arguments &args, ParameterName parameter);
/// Returns `addresses`, the value of argument `parameter`, in the layout of the access. Addresses in AutoLayout take
/// the layout of another tensor argument of the call.
Runtime settledAddresses(Emitter &e, const Arguments &args, ParameterName parameter, const Runtime &addresses);
/// Returns the shape and element type of the access through `pointer`, the value of argument `parameter`. Replaces
/// `pointer` by the result of settledAddresses: pointers in AutoLayout take the layout of another tensor argument of
/// the call.
AccessShape accessShapeAt(Emitter &e, const Arguments &args, ParameterName parameter, Runtime &pointer);
/// Returns the mask given by argument `parameter`: int1 values, broadcast to the shape of the access. Returns null for
/// None and for the constexpr True.
mlir::Value maskAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape,
                   bool takesIntegers = false);
/// Returns argument `parameter`, converted to the element type in memory and broadcast to the shape of the access.
Runtime elementsAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape);
/// Returns argument `parameter`, the replacement for elements that `mask` excludes; null for None. `maskName` is the
/// parameter of `mask`.
mlir::Value otherAt(Emitter &e, const Arguments &args, ParameterName parameter, ParameterName maskName,
                    mlir::Value mask, const AccessShape &shape);

/// Returns the enumerator for argument `parameter`, which must be one of the listed strings.
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
