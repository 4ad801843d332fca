//===- NvidiaAsyncBuiltins.cpp - nvidia.ampere.async_copy: cp.async, groups, waits ----------===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/memory/AsyncCopy.h"

namespace hocket::frontend {

/// cp.async caches at all levels or past L1.
static hk::CacheModifier copyCacheAt(Emitter &e, const Arguments &args, size_t index) {
  return enumAt<hk::CacheModifier>(
      e, args, index, {{"", hk::CacheModifier::None}, {".ca", hk::CacheModifier::CA}, {".cg", hk::CacheModifier::CG}});
}

/// async_load(smem, pointer, mask=None, cache_modifier="", eviction_policy="", volatile=False)
static Value asyncLoad(Emitter &e, Arguments &args) {
  Runtime pointer = pointersAt(e, args, 1);
  AccessPlace place = placeAt(e, args, 1, pointer);
  Runtime tile = copyDestinationAt(e, args, place);
  mlir::Value mask = maskAt(e, args, 2, place);
  hk::CacheModifier cache = copyCacheAt(e, args, 3);
  if (std::string policy = args.stringAt(e, 4); !policy.empty() && policy != "evict_normal")
    e.errorAt(args.where(4), args.what(4) + " is not supported yet: \"" + policy + "\"");
  if (args.boolAt(e, 5))
    e.errorAt(args.where(5), "asynchronous copies cannot be volatile",
              {{}, "they are never merged or removed; other blocks' stores need atomics or a fence"});
  e.create<hk::AsyncCopyToSharedOp>(pointer.ir, tile.ir, mask, mlir::Value(), cache);
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
