//===- Stream.h - Stream of a launch ---------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_STREAM_H
#define HOCKET_BINDINGS_DISPATCH_STREAM_H

#include "bindings/dispatch/Array.h"

namespace hocket::dispatch {

/// Returns the stream that the launch argument `stream` specifies: an integer handle, or an object of PyTorch, CuPy or
/// any library with `__cuda_stream__`.
void *streamOf(PyObject *stream);

/// Returns the current stream on GPU `device` of the library that defines the array type `type`. If `type` is null or
/// its library has no current stream, returns PyTorch's current stream, or the default stream if PyTorch is not loaded.
void *currentStream(const ArrayType *type, int device);

} // namespace hocket::dispatch

#endif
