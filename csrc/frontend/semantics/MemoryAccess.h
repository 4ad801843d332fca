//===- MemoryAccess.h - What loads, stores and atomics share -------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORYACCESS_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The type that memory holds for an element: bools are bytes.
inline DType memoryType(DType element) { return element.isBool() ? DType(DType::Int8) : element; }

/// Argument `index`, which must be a pointer or a tensor of pointers.
Runtime pointerAt(Emitter &e, const Arguments &args, size_t index);
/// Argument `index`, None or int1 values that broadcast to the pointers; null for None and for the constexpr True.
mlir::Value maskAt(Emitter &e, const Arguments &args, size_t index, const Runtime &pointer);
/// Argument `index`, converted to what the pointers point to and broadcast to them.
Runtime elementsAt(Emitter &e, const Arguments &args, size_t index, const Runtime &pointer);

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
