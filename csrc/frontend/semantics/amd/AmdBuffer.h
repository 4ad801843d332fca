//===- AmdBuffer.h - What buffer loads, stores, atomics and copies share ---------------===//
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

/// Arguments `baseIndex` and `offsetsIndex`.
BufferPlace bufferAt(Emitter &e, const Arguments &args, size_t baseIndex, size_t offsetsIndex);

/// otherAt, but null for the constant 0: that is what the hardware's bounds check answers for free.
mlir::Value otherOfBufferAt(Emitter &e, const Arguments &args, size_t index, size_t maskIndex, mlir::Value mask,
                            const AccessPlace &place);

/// Stops unless the target adds elements of this type through buffers.
void checkBufferAdd(Emitter &e, const Arguments &args, DType element);

} // namespace hocket::frontend

#endif
