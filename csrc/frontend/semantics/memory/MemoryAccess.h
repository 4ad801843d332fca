//===- MemoryAccess.h - What loads, stores and atomics share -------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H

#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Where an access goes: masks and values stretch to the shape of `type`, values are converted to `element`.
struct AccessPlace {
  ValueType type; ///< of the argument that has the shape and layout: the pointers, or the offsets from a base
  DType element;  ///< what memory holds there
  std::string_view argument; ///< the argument's name, for messages
};

/// The type that memory holds for an element: bools are bytes.
inline DType memoryType(DType element) { return element.isBool() ? DType(DType::Int8) : element; }

/// Argument `index`, which must be a pointer or a tensor of pointers.
Runtime pointerAt(Emitter &e, const Arguments &args, size_t index);
/// `addresses`, argument `index`: in AutoLayout they take the layout of another tensor of the call.
Runtime settledAddresses(Emitter &e, const Arguments &args, size_t index, const Runtime &addresses);
/// The place that argument `index`, `pointer`, points to. Changes the layout of `pointer` where it is not decided, as
/// above.
AccessPlace placeAt(Emitter &e, const Arguments &args, size_t index, Runtime &pointer);
/// Argument `index`, None or int1 values that broadcast to the place; null for None and for the constexpr True.
mlir::Value maskAt(Emitter &e, const Arguments &args, size_t index, const AccessPlace &place,
                   bool takesIntegers = false);
/// Argument `index`, converted to what memory holds and broadcast to the place.
Runtime elementsAt(Emitter &e, const Arguments &args, size_t index, const AccessPlace &place);
/// Argument `index`, what takes the place of elements that `mask`, argument `maskIndex`, keeps from being read; null
/// for None.
mlir::Value otherAt(Emitter &e, const Arguments &args, size_t index, size_t maskIndex, mlir::Value mask,
                    const AccessPlace &place);

/// Argument `index`, one of the listed strings, as an enumerator.
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
