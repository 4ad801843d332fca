//===- NvidiaAsyncBuiltins.cpp - nvidia.ampere.async_copy: cp.async, commit groups, waits ---===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/memory/AsyncCopy.h"
#include "frontend/semantics/memory/CachePolicies.h"

namespace hocket::frontend {

static Value asyncLoad(Emitter &e, Arguments &args) {
  Runtime pointer = pointersAt(e, args, "pointer");
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  Runtime tile = copyDestinationAt(e, args, "smem", shape);
  mlir::Value mask = maskAt(e, args, "mask", shape);
  CacheHints cache = cacheHintsAt(e, args, CachedAccess::Copy);
  args.boolAt(e, "volatile"); // has no effect, because the compiler never merges or removes copies
  e.create<hk::AsyncCopyToSharedOp>(pointer.ir, tile.ir, mask, mlir::Value(), cache.modifier, cache.policy);
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaAsyncBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.ampere.async_copy.async_load", asyncLoad,
       "(smem, pointer, mask=None, cache_modifier='', eviction_policy='', volatile=False, cache_policy=None)"},
      {"nvidia.ampere.async_copy.commit_group", commitGroup, "()"},
      {"nvidia.ampere.async_copy.wait_group", waitGroup, "(num_outstanding=0)"},
  };
  return entries;
}

} // namespace hocket::frontend
