//===- AmdAsyncBuiltins.cpp - amd.cdna4.async_copy: copies into LDS, commit groups, waits --===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/amd/AmdBuffer.h"
#include "frontend/semantics/memory/AsyncCopy.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/memory/SharedMemory.h"

namespace hocket::frontend {

static Value globalLoadToShared(Emitter &e, Arguments &args) {
  Runtime pointer = pointersAt(e, args, "ptr");
  AccessShape shape = accessShapeAt(e, args, "ptr", pointer);
  Runtime tile = copyDestinationAt(e, args, "dest", shape);
  mlir::Value mask = maskAt(e, args, "mask", shape), other = otherOfBufferAt(e, args, "other", "mask", mask, shape);
  e.create<hk::AsyncCopyToSharedOp>(pointer.ir, tile.ir, mask, other, loadCacheAt(e, args, "cache_modifier"),
                                    hk::CachePolicyAttr());
  return Value::none();
}

static Value bufferLoadToShared(Emitter &e, Arguments &args) {
  BufferAccess buffer = bufferAt(e, args, "ptr", "offsets");
  Runtime tile = copyDestinationAt(e, args, "dest", buffer.shape);
  mlir::Value mask = maskAt(e, args, "mask", buffer.shape),
              other = otherOfBufferAt(e, args, "other", "mask", mask, buffer.shape);
  e.create<hk_amd::BufferLoadToSharedOp>(buffer.base.ir, buffer.offsets, tile.ir, mask, other,
                                         loadCacheAt(e, args, "cache_modifier"));
  return Value::none();
}

static Value loadSharedRelaxed(Emitter &e, Arguments &args) { return loadShared(e, args, "smem", /*relaxed=*/true); }

std::span<const BuiltinEntry> amdAsyncBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna4.async_copy.buffer_load_to_shared", bufferLoadToShared,
       "(dest, ptr, offsets, mask=None, other=None, cache_modifier='')"},
      {"amd.cdna4.async_copy.commit_group", commitGroup, "()"},
      {"amd.cdna4.async_copy.global_load_to_shared", globalLoadToShared,
       "(dest, ptr, mask=None, other=None, cache_modifier='')"},
      {"amd.cdna4.async_copy.load_shared_relaxed", loadSharedRelaxed, "(smem, layout)"},
      {"amd.cdna4.async_copy.wait_group", waitGroup, "(num_outstanding=0)"},
  };
  return entries;
}

} // namespace hocket::frontend
