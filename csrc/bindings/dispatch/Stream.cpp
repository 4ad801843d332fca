//===- Stream.cpp - Stream of a launch -------------------------------------------------===//
#include "bindings/dispatch/Stream.h"
#include "bindings/dispatch/Platform.h"
#include "dispatch/Rules.h"
#include "runtime/LaunchError.h"
#include <pybind11/pybind11.h>
#include <string>

namespace py = pybind11;

namespace hocket::dispatch {

static void *asHandle(py::handle number) {
  void *stream = PyLong_AsVoidPtr(number.ptr());
  if (!stream && PyErr_Occurred())
    throw py::error_already_set();
  return stream;
}

void *streamOf(PyObject *stream) {
  if (PyLong_Check(stream))
    return asHandle(stream);
  py::handle object(stream);
  if (py::hasattr(object, "__cuda_stream__"))
    return asHandle(object.attr("__cuda_stream__")().cast<py::tuple>()[1]);
  for (const char *attribute : {"cuda_stream", "ptr", "handle"})
    if (py::hasattr(object, attribute))
      return asHandle(py::object(object.attr(attribute)));
  throw LaunchError("`stream` is a " + std::string(Py_TYPE(stream)->tp_name) +
                    "; pass a stream of PyTorch or CuPy, or a handle as an integer");
}

/// Returns a function of a Python module, such as `torch._C._cuda_getCurrentRawStream`, and caches the function in
/// `kept`. Returns null if the process has not imported the module.
static PyObject *loadedFunction(PyObject *&kept, const char *module, const char *function) {
  if (!kept) {
    PyObject *loaded = PyDict_GetItemString(PyImport_GetModuleDict(), module);
    if (loaded && PyObject_HasAttrString(loaded, function))
      kept = PyObject_GetAttrString(loaded, function);
  }
  return kept;
}

static void *torchStream(int device) {
  static PyObject *getRawStream = nullptr;
  if (!loadedFunction(getRawStream, "torch._C", "_cuda_getCurrentRawStream"))
    return nullptr;
  auto ordinal = py::reinterpret_steal<py::object>(PyLong_FromLong(device));
  auto stream = py::reinterpret_steal<py::object>(PyObject_CallOneArg(getRawStream, ordinal.ptr()));
  if (!stream)
    throw py::error_already_set();
  return asHandle(stream);
}

static void *cupyStream() {
  static PyObject *getCurrentStream = nullptr;
  if (!loadedFunction(getCurrentStream, "cupy.cuda", "get_current_stream"))
    return nullptr;
  auto stream = py::reinterpret_steal<py::object>(PyObject_CallNoArgs(getCurrentStream));
  if (!stream)
    throw py::error_already_set();
  return asHandle(py::object(stream.attr("ptr")));
}

static void *exchangeStream(const dlpack::ExchangeApi &exchange, int device) {
  void *stream = nullptr;
  if (exchange.currentWorkStream(gpuType.load(std::memory_order_relaxed), device, &stream) != 0)
    throw py::error_already_set();
  return stream;
}

void *currentStream(const ArrayType *type, int device) {
  switch (chooseStream(type && type->streams, type && type->reader == ArrayReader::Cupy)) {
  case StreamSource::Exchange:
    return exchangeStream(*type->streams, device);
  case StreamSource::Cupy:
    return cupyStream();
  case StreamSource::Torch:
    break;
  }
  return torchStream(device);
}

} // namespace hocket::dispatch
