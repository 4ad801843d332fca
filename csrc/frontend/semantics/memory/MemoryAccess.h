//===- MemoryAccess.h - Common arguments of loads, stores and atomics ----------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Shape and element type of an access: masks and values are broadcast to the shape of `type`, values are converted to
/// `element`.
struct AccessPlace {
  ValueType type; ///< type of the argument that has the shape and layout: the pointers, or the offsets from a base
  DType element;  ///< element type in memory
  std::string_view argument; ///< the argument's name, for messages
};

/// Returns the type that memory holds for an element: bools are bytes.
inline DType memoryType(DType element) { return element.isBool() ? DType(DType::Int8) : element; }

/// Returns argument `index`, which must be a pointer or a tensor of pointers.
Runtime pointerAt(Emitter &e, const Arguments &args, size_t index);
/// Returns `addresses`, argument `index`; if they are in AutoLayout, in the layout of another tensor of the call.
Runtime settledAddresses(Emitter &e, const Arguments &args, size_t index, const Runtime &addresses);
/// Returns the access through `pointer`, argument `index`. Changes the layout of `pointer` if it is undecided, like
/// settledAddresses.
AccessPlace placeAt(Emitter &e, const Arguments &args, size_t index, Runtime &pointer);
/// Returns argument `index`, None or int1 values that broadcast to the access; null for None and for the constexpr
/// True.
mlir::Value maskAt(Emitter &e, const Arguments &args, size_t index, const AccessPlace &place,
                   bool takesIntegers = false);
/// Returns argument `index`, converted to the element type in memory and broadcast to the access.
Runtime elementsAt(Emitter &e, const Arguments &args, size_t index, const AccessPlace &place);
/// Returns argument `index`, the replacement for elements that `mask`, argument `maskIndex`, excludes; null for None.
mlir::Value otherAt(Emitter &e, const Arguments &args, size_t index, size_t maskIndex, mlir::Value mask,
                    const AccessPlace &place);

/// Returns argument `index`, one of the listed strings, as an enumerator.
template <typename Enum>
Enum enumAt(Emitter &e, const Arguments &args, size_t index,
            std::initializer_list<std::pair<std::string_view, Enum>> choices) {
  std::string text = args.stringAt(e, index), known;
  for (auto [name, value] : choices) {
    if (name == text)
      return value;
    known += (known.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  e.errorAt(args.where(index), args.what(index) + " must be one of " + known + ", but is \"" + text + "\"");
}

} // namespace hocket::frontend

#endif
