//===- Array.cpp - Memory of array arguments -------------------------------------------===//
#include "bindings/dispatch/Array.h"
#include "bindings/dispatch/Elements.h"
#include "bindings/dispatch/Platform.h"
#include "runtime/LaunchError.h"
#include <deque>
#include <pybind11/pybind11.h>
#include <string>

namespace py = pybind11;

namespace hocket::dispatch {

static bool typeHas(PyTypeObject *type, const char *attribute) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), attribute);
}

static bool isNamed(PyTypeObject *type, std::string_view module, std::string_view name) {
  py::handle handle(reinterpret_cast<PyObject *>(type));
  return py::str(handle.attr("__module__")).cast<std::string>() == module &&
         py::str(handle.attr("__qualname__")).cast<std::string>() == name;
}

static bool inheritsFrom(PyTypeObject *type, std::string_view module, std::string_view name) {
  for (py::handle base : py::reinterpret_borrow<py::tuple>(type->tp_mro))
    if (isNamed(reinterpret_cast<PyTypeObject *>(base.ptr()), module, name))
      return true;
  return false;
}

/// Returns the DLPack exchange table of a type. Returns null if the type has no table, if the table has an unsupported
/// version, or if the table has no function tensorFromPyObject.
static const dlpack::ExchangeApi *exchangeOf(PyTypeObject *type) {
  if (!typeHas(type, "__dlpack_c_exchange_api__"))
    return nullptr;
  py::object capsule = py::handle(reinterpret_cast<PyObject *>(type)).attr("__dlpack_c_exchange_api__");
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return nullptr;
  auto *api = static_cast<dlpack::ExchangeApi *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  return api->version.major == 1 && api->tensorFromPyObject ? api : nullptr;
}

static ArrayType inspect(PyTypeObject *type) {
  ArrayType result{.type = type};
  if (type == &PyCapsule_Type) {
    result.reader = ArrayReader::Capsule;
  } else if ((result.exchange = exchangeOf(type))) {
    result.reader = ArrayReader::Exchange;
    // For PyTorch on AMD GPUs, the exchange table is not used for streams: in several versions of PyTorch, its function
    // currentWorkStream does not work on AMD GPUs (pytorch/pytorch#175432).
    if (!torchUsesHip() || !inheritsFrom(type, "torch", "Tensor"))
      result.streams = result.exchange;
  } else if (typeHas(type, "data_ptr")) {
    result.reader = ArrayReader::DataPtr;
    result.knowsDevice = typeHas(type, "get_device");
  } else if (inheritsFrom(type, "cupy", "ndarray")) {
    result.reader = ArrayReader::Cupy;
  } else if (inheritsFrom(type, "numpy.ma", "MaskedArray") || inheritsFrom(type, "numpy.ma.core", "MaskedArray")) {
    result.reader = ArrayReader::Masked;
  } else if (inheritsFrom(type, "numpy", "ndarray")) {
    result.reader = ArrayReader::Numpy;
  } else if (typeHas(type, "__cuda_array_interface__")) {
    result.reader = ArrayReader::CudaInterface;
  } else if (typeHas(type, "__dlpack__")) {
    result.reader = ArrayReader::Dlpack;
  }
  return result;
}

const ArrayType &arrayTypeOf(PyTypeObject *type) {
  // A process has arrays of few types, so a linear search is faster than hashing. A deque never moves its entries, so
  // the returned references stay valid.
  static auto *known = new std::deque<ArrayType>;
  for (const ArrayType &entry : *known)
    if (entry.type == type)
      return entry;
  ArrayType entry = inspect(type);
  Py_INCREF(type);
  return known->emplace_back(entry);
}

// DLPack tensors ------------------------------------------------------------------------------------------------------

static ArrayMemory readTensor(const dlpack::Tensor &tensor, bool writable, std::string_view parameter) {
  if (dlpack::DeviceType gpu = gpuTypeOf(tensor.device.type); gpu != dlpack::kCpu)
    checkGpuType(gpu, parameter);
  return fromDlpack(tensor, writable, parameter);
}

static ArrayMemory readCapsule(PyObject *capsule, std::string_view parameter) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto *managed = static_cast<dlpack::ManagedTensorVersioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    return readTensor(managed->tensor, !(managed->flags & dlpack::kFlagReadOnly), parameter);
  }
  if (PyCapsule_IsValid(capsule, "dltensor"))
    return readTensor(static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"))->tensor, true,
                      parameter);
  throw LaunchError("argument `" + std::string(parameter) +
                    "` is a capsule that holds no DLPack tensor, or one that was already consumed");
}

// Other protocols -----------------------------------------------------------------------------------------------------

/// Reads an object with `data_ptr()`, `dtype` and `get_device()`: a tensor of a PyTorch version without DLPack's C
/// exchange table, or an object for compilation without a launch, such as MockTensor.
static ArrayMemory readDataPtr(PyObject *object, const ArrayType &type, std::string_view parameter) {
  static PyObject *const dataPtr = PyUnicode_InternFromString("data_ptr");
  static PyObject *const dtype = PyUnicode_InternFromString("dtype");
  static PyObject *const getDevice = PyUnicode_InternFromString("get_device");
  auto call = [&](PyObject *method) {
    auto result = py::reinterpret_steal<py::object>(PyObject_CallMethodNoArgs(object, method));
    if (!result)
      throw py::error_already_set();
    return result;
  };
  ArrayMemory memory;
  memory.address = PyLong_AsVoidPtr(call(dataPtr).ptr());
  auto elementType = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, dtype));
  if (!elementType)
    throw py::error_already_set();
  memory.element = elementFromObject(elementType, parameter);
  int device = type.knowsDevice ? call(getDevice).cast<int>() : 0;
  memory.isOnGpu = device >= 0;
  memory.device = device < 0 ? 0 : device;
  if (!memory.isOnGpu) {
    auto shape = py::handle(object).attr("shape").cast<py::tuple>();
    int64_t elements = 1;
    for (py::handle size : shape)
      elements *= size.cast<int64_t>();
    if (!py::handle(object).attr("is_contiguous")().cast<bool>())
      throw LaunchError("argument `" + std::string(parameter) + "` is a CPU tensor that is not contiguous");
    memory.bytes = elements * elementBytes(memory.element);
  }
  if (PyErr_Occurred())
    throw py::error_already_set();
  return memory;
}

/// Reads a CuPy array through its attributes `data.ptr`, `device_id` and `dtype`. Reading these attributes is faster
/// than `__cuda_array_interface__`, which builds a dict.
static ArrayMemory readCupy(PyObject *object, std::string_view parameter) {
  static PyObject *const data = PyUnicode_InternFromString("data");
  static PyObject *const pointer = PyUnicode_InternFromString("ptr");
  static PyObject *const deviceId = PyUnicode_InternFromString("device_id");
  static PyObject *const dtype = PyUnicode_InternFromString("dtype");
  auto get = [](py::handle from, PyObject *attribute) {
    auto value = py::reinterpret_steal<py::object>(PyObject_GetAttr(from.ptr(), attribute));
    if (!value)
      throw py::error_already_set();
    return value;
  };
  ArrayMemory memory;
  py::object block = get(object, data);
  memory.address = PyLong_AsVoidPtr(get(block, pointer).ptr());
  memory.device = static_cast<int>(PyLong_AsLong(get(block, deviceId).ptr()));
  memory.isOnGpu = true;
  memory.element = elementFromObject(get(object, dtype), parameter);
  return memory;
}

/// NumPy's C struct PyArrayInterface, which NumPy's manual documents under "The array interface protocol".
namespace {
struct NumpyInterface {
  int two;
  int dimensions;
  char kind;
  int itemBytes;
  int flags;
  Py_intptr_t *shape;
  Py_intptr_t *strides; ///< strides in bytes
  void *data;
  PyObject *description;
};
constexpr int kNumpyNativeOrder = 0x200, kNumpyWritable = 0x400;
} // namespace

static ArrayMemory readNumpy(PyObject *object, std::string_view parameter) {
  static PyObject *const arrayStruct = PyUnicode_InternFromString("__array_struct__");
  static PyObject *const dtype = PyUnicode_InternFromString("dtype");
  auto capsule = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, arrayStruct));
  auto elementType = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, dtype));
  if (!capsule || !elementType)
    throw py::error_already_set();
  auto *array = static_cast<NumpyInterface *>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!array || array->two != 2)
    throw LaunchError("argument `" + std::string(parameter) + "` has an invalid __array_struct__");
  bool isNumber = std::string_view("biufc").find(array->kind) != std::string_view::npos;
  if (!(array->flags & kNumpyNativeOrder) && array->itemBytes > 1 && isNumber)
    throw LaunchError("argument `" + std::string(parameter) +
                      "` is not in this machine's byte order\n  hint: pass x.astype(x.dtype.newbyteorder('='))");
  ArrayMemory memory;
  memory.element = elementFromObject(elementType, parameter);
  memory.address = array->data;
  memory.writable = array->flags & kNumpyWritable;
  static_assert(sizeof(Py_intptr_t) == sizeof(int64_t));
  setExtent(memory, array->dimensions, reinterpret_cast<int64_t *>(array->shape),
            reinterpret_cast<int64_t *>(array->strides), 1);
  return memory;
}

static ArrayMemory readCudaInterface(PyObject *object, std::string_view parameter) {
  auto interface = py::handle(object).attr("__cuda_array_interface__").cast<py::dict>();
  auto data = interface["data"].cast<py::tuple>();
  ArrayMemory memory;
  memory.address = data[0].is_none() ? nullptr : PyLong_AsVoidPtr(data[0].ptr());
  memory.writable = !data[1].cast<bool>();
  memory.isOnGpu = true;
  // `typestr` does not distinguish bfloat16 from other 2-byte types, so the attribute `dtype` is preferred.
  py::object dtype = py::getattr(object, "dtype", interface["typestr"]);
  memory.element = elementFromObject(dtype, parameter);
  memory.device = gpuPlatform().deviceOf(memory.address);
  return memory;
}

static ArrayMemory readDlpackMethod(PyObject *object, std::string_view parameter) {
  py::handle handle(object);
  py::object capsule;
  // With stream=-1, the library that owns the array does not synchronize. No synchronization is needed, because the
  // launch is ordered by its stream.
  auto device = handle.attr("__dlpack_device__")().cast<py::tuple>();
  int deviceType = device[0].cast<int>();
  if (deviceType == dlpack::kCuda || deviceType == dlpack::kRocm)
    capsule = handle.attr("__dlpack__")(py::arg("stream") = -1);
  else
    capsule = handle.attr("__dlpack__")();
  // The capsule is destroyed at the end of this function, together with its DLPack tensor. The array itself keeps the
  // memory alive.
  return readCapsule(capsule.ptr(), parameter);
}

ArrayMemory readArray(PyObject *object, const ArrayType &type, std::string_view parameter) {
  switch (type.reader) {
  case ArrayReader::Exchange: {
    dlpack::Tensor tensor;
    if (type.exchange->tensorFromPyObject(object, &tensor) != 0)
      throw py::error_already_set();
    return readTensor(tensor, true, parameter);
  }
  case ArrayReader::DataPtr:
    return readDataPtr(object, type, parameter);
  case ArrayReader::Cupy:
    return readCupy(object, parameter);
  case ArrayReader::Numpy:
    return readNumpy(object, parameter);
  case ArrayReader::CudaInterface:
    return readCudaInterface(object, parameter);
  case ArrayReader::Dlpack:
    return readDlpackMethod(object, parameter);
  case ArrayReader::Capsule:
    return readCapsule(object, parameter);
  case ArrayReader::Masked:
    throw LaunchError("argument `" + std::string(parameter) +
                      "` is a masked array: a kernel receives its data, but not its mask\n  hint: pass x.filled(0), or "
                      "x.data and x.mask as two arrays");
  case ArrayReader::NotAnArray:
    break;
  }
  throw LaunchError("argument `" + std::string(parameter) + "` is not an array");
}

} // namespace hocket::dispatch
