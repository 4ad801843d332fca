//===- AmdBuffer.h - Arguments of buffer loads, stores, atomics and copies -------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_AMDBUFFER_H
#define HOCKET_FRONTEND_SEMANTICS_AMDBUFFER_H

#include "frontend/semantics/memory/MemoryAccess.h"

namespace hocket::frontend {

/// A scalar base pointer, and a tensor of 32-bit integer offsets from this pointer, in elements.
struct BufferAccess {
  Runtime base;
  mlir::Value offsets;
  AccessShape shape;
};

/// Returns the buffer access given by the arguments `baseName` and `offsetsName`.
BufferAccess bufferAt(Emitter &e, const Arguments &args, ParameterName baseName, ParameterName offsetsName);

/// Returns argument `parameter`, the replacement for masked elements, converted and broadcast like the result of
/// otherAt. Returns null for the constant 0, because masked elements are accessed out of bounds, and the hardware
/// returns 0 for such accesses.
mlir::Value otherOfBufferAt(Emitter &e, const Arguments &args, ParameterName parameter, ParameterName maskName,
                            mlir::Value mask, const AccessShape &shape);

/// Raises an error unless the target has buffer atomics that add elements of type `element`.
void checkBufferAdd(Emitter &e, const Arguments &args, DType element);

} // namespace hocket::frontend

#endif
