//===- LaunchStream.h - The stream that a launch is queued on ----------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHSTREAM_H
#define HOCKET_BINDINGS_LAUNCHSTREAM_H

#include "bindings/launch/LaunchArray.h"

namespace hocket::launch {

/// `stream=`: an integer handle, or an object of PyTorch, CuPy or any library with `__cuda_stream__`.
void *streamOf(PyObject *stream);

/// The current stream of the library that `type` (an array on GPU `device`, or null where no array was passed) comes
/// from; the GPU's default stream for libraries that have no such thing.
void *currentStream(const ArrayType *type, int device);

} // namespace hocket::launch

#endif
