//===- NvidiaAsyncBuiltins.cpp - nvidia.ampere.async_copy: cp.async, groups, waits ----------===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/memory/AsyncCopy.h"
#include "frontend/semantics/memory/CachePolicies.h"

namespace hocket::frontend {

/// async_load(smem, pointer, mask=None, cache_modifier="", eviction_policy="", volatile=False,
///            cache_policy=None)
static Value asyncLoad(Emitter &e, Arguments &args) {
  Runtime pointer = pointersAt(e, args, 1);
  AccessPlace place = placeAt(e, args, 1, pointer);
  Runtime tile = copyDestinationAt(e, args, place);
  mlir::Value mask = maskAt(e, args, 2, place);
  CacheHints cache = cacheHintsAt(e, args, CachedAccess::Copy, {.modifier = 3, .eviction = 4, .policy = 6});
  args.boolAt(e, 5); // every copy is volatile: copies are neither merged nor removed
  e.create<hk::AsyncCopyToSharedOp>(pointer.ir, tile.ir, mask, mlir::Value(), cache.modifier, cache.policy);
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaAsyncBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.ampere.async_copy.async_load", asyncLoad},
      {"nvidia.ampere.async_copy.commit_group", commitGroup},
      {"nvidia.ampere.async_copy.wait_group", waitGroup},
  };
  return entries;
}

} // namespace hocket::frontend
