//===- AmdAsyncBuiltins.cpp - amd.cdna4.async_copy: copies into LDS, groups of them, waits -===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/amd/AmdBuffer.h"
#include "frontend/semantics/memory/SharedMemory.h"

namespace hocket::frontend {

/// Argument 0 as the tile that a copy from `place` fills.
static Runtime destinationAt(Emitter &e, const Arguments &args, const AccessPlace &place) {
  const Runtime *tile = args[0].asRuntime();
  if (!tile || !tile->type.isMemDesc())
    e.errorAt(args.where(0), args.what(0) + " must be shared memory, but is " + args[0].describe(),
              {{}, "allocate it with gl.allocate_shared_memory"});
  ErrorDetails details{{{"dest", tile->type.toString()}, {std::string(place.argument), place.type.toString()}}, {}};
  if (tile->type.shape != place.type.shape) {
    bool isRing = tile->type.rank() > llvm::cast<hk::SharedLayout>(tile->type.layout).getRank();
    details.hint = isRing ? "pick a slot: dest.index(i)" : "";
    e.errorAt(args.where(0), args.what(0) + " does not have the shape of `" + std::string(place.argument) + "`",
              std::move(details));
  }
  if (DType element = memoryType(place.element); tile->type.dtype() != element) {
    details.notes = {{"dest", tile->type.toString()}, {"source", std::string(element.name())}};
    details.hint = "a copy converts nothing: allocate shared memory of gl." + std::string(element.name()) +
                   ", or load to registers, convert and store";
    e.errorAt(args.where(0), args.what(0) + " does not have the dtype that is copied", std::move(details));
  }
  return *tile;
}

/// global_load_to_shared(dest, ptr, mask=None, other=None, cache_modifier="")
static Value globalLoadToShared(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, 1);
  if (!pointer.type.isTensor())
    e.errorAt(args.where(1), args.what(1) + " must be a tensor of pointers, but is " + args[1].describe(),
              {{}, "add a tensor of offsets to it"});
  AccessPlace place = placeAt(args, 1, pointer);
  Runtime tile = destinationAt(e, args, place);
  mlir::Value mask = maskAt(e, args, 2, place), other = otherOfBufferAt(e, args, 3, 2, mask, place);
  e.create<hk_amd::GlobalLoadToSharedOp>(pointer.ir, tile.ir, mask, other, loadCacheAt(e, args, 4));
  return Value::none();
}

/// buffer_load_to_shared(dest, ptr, offsets, mask=None, other=None, cache_modifier="")
static Value bufferLoadToShared(Emitter &e, Arguments &args) {
  BufferPlace buffer = bufferAt(e, args, 1, 2);
  Runtime tile = destinationAt(e, args, buffer.place);
  mlir::Value mask = maskAt(e, args, 3, buffer.place), other = otherOfBufferAt(e, args, 4, 3, mask, buffer.place);
  e.create<hk_amd::BufferLoadToSharedOp>(buffer.base.ir, buffer.offsets, tile.ir, mask, other, loadCacheAt(e, args, 5));
  return Value::none();
}

/// commit_group()
static Value commitGroup(Emitter &e, Arguments &) {
  e.create<hk::AsyncCommitGroupOp>();
  return Value::none();
}

/// wait_group(num_outstanding=0)
static Value waitGroup(Emitter &e, Arguments &args) {
  int64_t outstanding = args.intAt(e, 0);
  if (outstanding > INT32_MAX)
    e.errorAt(args.where(0), args.what(0) + " is too large: " + std::to_string(outstanding));
  if (outstanding < 0)
    e.errorAt(args.where(0), args.what(0) + " must not be negative, but is " + std::to_string(outstanding),
              {{}, "it counts the newest groups that may still be in flight; 0 waits for all"});
  e.create<hk::AsyncWaitGroupOp>(static_cast<int32_t>(outstanding));
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
