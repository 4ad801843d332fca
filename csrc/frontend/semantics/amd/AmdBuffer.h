//===- AmdBuffer.h - Arguments of buffer loads, stores, atomics and copies -------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_AMDBUFFER_H
#define HOCKET_FRONTEND_SEMANTICS_AMDBUFFER_H

#include "frontend/semantics/memory/MemoryAccess.h"

namespace hocket::frontend {

/// A scalar base pointer, and a tensor of int32 offsets from it, in elements.
struct BufferAccess {
  Runtime base;
  mlir::Value offsets;
  AccessShape shape;
};

/// Reads arguments `baseIndex` and `offsetsIndex`.
BufferAccess bufferAt(Emitter &e, const Arguments &args, ParameterName baseName, ParameterName offsetsName);

/// Same as otherAt, but null for the constant 0, which the hardware's bounds check returns at no cost.
mlir::Value otherOfBufferAt(Emitter &e, const Arguments &args, ParameterName parameter, ParameterName maskName,
                            mlir::Value mask, const AccessShape &shape);

/// Raises an error unless the target has buffer atomics that add elements of this type.
void checkBufferAdd(Emitter &e, const Arguments &args, DType element);

} // namespace hocket::frontend

#endif
