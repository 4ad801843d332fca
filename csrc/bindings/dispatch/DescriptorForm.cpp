//===- DescriptorForm.cpp - Tensor descriptors of arrays with equal properties ---------===//
#include "bindings/dispatch/DescriptorForm.h"
#include "bindings/Bindings.h"
#include "bindings/Errors.h"
#include "bindings/Presence.h"
#include <memory>
#include <unordered_map>

namespace py = pybind11;

namespace hocket::dispatch {

PyTypeObject *FormedDescriptor::type = nullptr;

namespace {

/// An address on a GPU.
struct Location {
  void *address;
  int device;

  bool operator==(const Location &) const = default;
};

struct LocationHash {
  size_t operator()(const Location &location) const {
    return std::hash<void *>()(location.address) * 31 + size_t(location.device);
  }
};

struct FormState {
  LaunchDescriptor prototype; ///< its array is never read
  std::unordered_map<Location, py::object, LocationHash> known;
};

struct FormObject {
  PyObject_HEAD FormState *state;

  static FormState *&stateOf(PyObject *object) { return reinterpret_cast<FormObject *>(object)->state; }
};

} // namespace

/// Largest number of addresses for which a form caches descriptors.
static constexpr size_t kMostKnown = 256;

template <typename... Arguments>
static py::object makeFormed(Arguments &&...arguments) {
  auto descriptor = std::make_unique<LaunchDescriptor>(std::forward<Arguments>(arguments)...);
  auto *formed = PyObject_New(FormedDescriptor, FormedDescriptor::type);
  if (!formed)
    throw py::error_already_set();
  formed->descriptor = descriptor.release();
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(formed));
}

static void freeFormed(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<FormedDescriptor *>(object)->descriptor;
  type->tp_free(object);
  Py_DECREF(type);
}

/// The Python method on(base).
static PyObject *formOn(PyObject *self, PyObject *base) {
  bindings::Presence presence;
  return bindings::guarded<PyObject *>(nullptr, [&] {
    FormState &state = *FormObject::stateOf(self);
    const ArrayType &type = arrayTypeOf(Py_TYPE(base));
    auto array = py::reinterpret_borrow<py::object>(base);
    if (type.reader == ArrayReader::NotAnArray)
      return makeFormed(state.prototype, array).release().ptr(); // the constructor reports the mistake
    ArrayMemory memory = readArray(base, type, "base");
    if (!memory.isOnGpu)
      return makeFormed(state.prototype, array).release().ptr();
    Location location{memory.address, memory.device};
    if (auto found = state.known.find(location); found != state.known.end()) [[likely]]
      return Py_NewRef(found->second.ptr());
    py::object formed = makeFormed(state.prototype, memory, type);
    if (state.known.size() >= kMostKnown)
      state.known.clear();
    state.known.emplace(location, formed);
    return formed.release().ptr();
  });
}

/// The Python method __init__(descriptor). `descriptor` is a TensorDescriptor.
static int initializeForm(PyObject *self, PyObject *arguments, PyObject *keywords) {
  PyObject *descriptor = nullptr;
  static const char *names[] = {"descriptor", nullptr};
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", const_cast<char **>(names), &descriptor))
    return -1;
  return bindings::guarded(-1, [&] {
    LaunchDescriptor *given = LaunchDescriptor::of(descriptor);
    if (!given)
      throw py::type_error("DescriptorForm takes a TensorDescriptor");
    // The form keeps no reference to the array of the descriptor.
    auto *state = new FormState{LaunchDescriptor(*given, ArrayMemory{}, given->arrayType()), {}};
    delete std::exchange(FormObject::stateOf(self), state);
    return 0;
  });
}

static PyObject *newForm(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self)
    FormObject::stateOf(self) = nullptr;
  return self;
}

static void freeForm(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete FormObject::stateOf(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static Py_ssize_t countKnown(PyObject *self) { return Py_ssize_t(FormObject::stateOf(self)->known.size()); }

static PyType_Slot formedSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(freeFormed)}, {0, nullptr}};

static PyType_Spec formedSpec = {"hocket._core.FormedDescriptor", sizeof(FormedDescriptor), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, formedSlots};

static PyMethodDef formMethods[] = {{"on", formOn, METH_O, nullptr}, {}};

static PyType_Slot formSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newForm)},       {Py_tp_init, reinterpret_cast<void *>(initializeForm)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeForm)},  {Py_tp_methods, formMethods},
    {Py_sq_length, reinterpret_cast<void *>(countKnown)}, {0, nullptr}};

static PyType_Spec formSpec = {"hocket._core.DescriptorForm", sizeof(FormObject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, formSlots};

} // namespace hocket::dispatch

void hocket::bindings::bindDescriptorForms(py::module_ &module) {
  using namespace hocket::dispatch;
  auto make = [](PyType_Spec &spec) {
    auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
    if (!type)
      throw py::error_already_set();
    return type;
  };
  module.attr("FormedDescriptor") = make(formedSpec);
  FormedDescriptor::type =
      reinterpret_cast<PyTypeObject *>(py::object(module.attr("FormedDescriptor")).release().ptr());
  module.attr("DescriptorForm") = make(formSpec);
}
