//===- Stream.h - Stream of a launch ---------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_STREAM_H
#define HOCKET_BINDINGS_DISPATCH_STREAM_H

#include "bindings/dispatch/Array.h"

namespace hocket::dispatch {

/// `stream=`: an integer handle, or an object of PyTorch, CuPy or any library with `__cuda_stream__`.
void *streamOf(PyObject *stream);

/// Returns the current stream of the library of `type` (an array on GPU `device`, or null if no array was passed); the
/// GPU's default stream for libraries without current streams.
void *currentStream(const ArrayType *type, int device);

} // namespace hocket::dispatch

#endif
