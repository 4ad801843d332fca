//===- Accumulators.cpp - Results of asynchronous products, before they are there ---------===//
#include "frontend/semantics/Accumulators.h"

namespace hocket::frontend {

void requireFinished(Emitter &e, const Value &value, SourceRange where) {
  if (const Runtime *runtime = value.asRuntime(); runtime && runtime->type.isAccumulator())
    e.errorAt(
        where, "the result of an asynchronous product is used before a wait for it",
        {{{"has", runtime->type.toString()}}, "wait for the product first: acc = warpgroup_mma_wait(0, deps=[acc])"});
  for (const Value &part : value.parts())
    requireFinished(e, part, where);
}

void requireFinished(Emitter &e, const Value &value) { requireFinished(e, value, e.here()); }

/// Products, waits, and questions about the type.
static bool takesAccumulators(llvm::StringRef name) {
  return name.starts_with("nvidia.hopper.warpgroup_mma") ||
         llvm::is_contained(
             {"tensor.dtype", "tensor.layout", "tensor.numel", "tensor.rank", "tensor.shape", "tensor.type"}, name);
}

void requireFinished(Emitter &e, std::string_view name, const Arguments &args) {
  if (takesAccumulators(name))
    return;
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i])
      requireFinished(e, args[i], args.where(i));
}

} // namespace hocket::frontend
