//===- Stream.h - Stream of a launch ---------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_STREAM_H
#define HOCKET_BINDINGS_DISPATCH_STREAM_H

#include "bindings/dispatch/Array.h"

namespace hocket::dispatch {

/// Returns the stream that the launch argument `stream` specifies: an integer handle, or an object of PyTorch, CuPy or
/// any library with `__cuda_stream__`.
void *streamOf(PyObject *stream);

/// Returns the current stream, on GPU `device`, of the library that defines the array type `type`. Returns the GPU's
/// default stream if `type` is null or if the library has no current streams.
void *currentStream(const ArrayType *type, int device);

} // namespace hocket::dispatch

#endif
