//===- AmdAsyncBuiltins.cpp - amd.cdna4.async_copy: copies into LDS, groups of them, waits -===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/amd/AmdBuffer.h"
#include "frontend/semantics/memory/AsyncCopy.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/memory/SharedMemory.h"

namespace hocket::frontend {

/// global_load_to_shared(dest, ptr, mask=None, other=None, cache_modifier="")
static Value globalLoadToShared(Emitter &e, Arguments &args) {
  Runtime pointer = pointersAt(e, args, 1);
  AccessPlace place = placeAt(e, args, 1, pointer);
  Runtime tile = copyDestinationAt(e, args, place);
  mlir::Value mask = maskAt(e, args, 2, place), other = otherOfBufferAt(e, args, 3, 2, mask, place);
  e.create<hk::AsyncCopyToSharedOp>(pointer.ir, tile.ir, mask, other, loadCacheAt(e, args, 4), hk::CachePolicyAttr());
  return Value::none();
}

/// buffer_load_to_shared(dest, ptr, offsets, mask=None, other=None, cache_modifier="")
static Value bufferLoadToShared(Emitter &e, Arguments &args) {
  BufferPlace buffer = bufferAt(e, args, 1, 2);
  Runtime tile = copyDestinationAt(e, args, buffer.place);
  mlir::Value mask = maskAt(e, args, 3, buffer.place), other = otherOfBufferAt(e, args, 4, 3, mask, buffer.place);
  e.create<hk_amd::BufferLoadToSharedOp>(buffer.base.ir, buffer.offsets, tile.ir, mask, other, loadCacheAt(e, args, 5));
  return Value::none();
}

/// load_shared_relaxed(smem, layout)
static Value loadSharedRelaxed(Emitter &e, Arguments &args) { return loadShared(e, args, /*relaxed=*/true); }

std::span<const BuiltinEntry> amdAsyncBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna4.async_copy.buffer_load_to_shared", bufferLoadToShared},
      {"amd.cdna4.async_copy.commit_group", commitGroup},
      {"amd.cdna4.async_copy.global_load_to_shared", globalLoadToShared},
      {"amd.cdna4.async_copy.load_shared_relaxed", loadSharedRelaxed},
      {"amd.cdna4.async_copy.wait_group", waitGroup},
  };
  return entries;
}

} // namespace hocket::frontend
