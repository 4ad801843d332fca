//===- AmdBuffer.h - Arguments of buffer loads, stores, atomics and copies -------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_AMDBUFFER_H
#define HOCKET_FRONTEND_SEMANTICS_AMDBUFFER_H

#include "frontend/semantics/memory/MemoryAccess.h"

namespace hocket::frontend {

/// A scalar base pointer, and a tensor of int32 offsets from it, in elements.
struct BufferPlace {
  Runtime base;
  mlir::Value offsets;
  AccessPlace place;
};

/// Reads arguments `baseIndex` and `offsetsIndex`.
BufferPlace bufferAt(Emitter &e, const Arguments &args, size_t baseIndex, size_t offsetsIndex);

/// Same as otherAt, but null for the constant 0, which the hardware's bounds check returns at no cost.
mlir::Value otherOfBufferAt(Emitter &e, const Arguments &args, size_t index, size_t maskIndex, mlir::Value mask,
                            const AccessPlace &place);

/// Raises an error unless the target has buffer atomics that add elements of this type.
void checkBufferAdd(Emitter &e, const Arguments &args, DType element);

} // namespace hocket::frontend

#endif
