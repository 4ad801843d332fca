//===- LaunchCache.cpp - Prepared launches, indexed by the form of a call --------------===//
//
// The Python type LaunchCache, the base of the class in hocket/launch_cache.py.
//
//   find(arrays, settings)
//   |-- Form of the call: properties of arrays, types and values of settings
//   |-- an entry with an equal form: returns its prepared launch
//   `-- no such entry: returns prepare(*arrays, *settings), and stores the result in an entry
//
// Arrays of types with DLPack's C exchange table, such as PyTorch tensors, are read without running Python code. For
// arrays of other types, the Python function `form_of` returns a tuple of the same properties.
//
//===------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/Errors.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Array.h"
#include "dispatch/InlineVector.h"
#include <memory>
#include <ranges>
#include <unordered_map>
#include <vector>

namespace py = pybind11;

namespace hocket::dispatch {

namespace {

/// The form of a call. Calls with equal forms have the same prepared launch.
struct Form {
  InlineVector<uint64_t, 96> words;
  /// The settings, and the properties of arrays that are not read by DLPack's exchange table. Borrowed references.
  InlineVector<PyObject *, 24> objects;
  uint64_t hash = 0;

  void add(uint64_t word) {
    words.push_back(word);
    mix(word);
  }

  /// Adds a Python object. Objects are equal if they have the same type and Python's == holds: of the equal values 1,
  /// 1.0 and True, not all may be valid. Throws the Python error of an object without a hash.
  void add(PyObject *object) {
    Py_hash_t value = PyObject_Hash(object);
    if (value == -1)
      throw py::error_already_set();
    add(reinterpret_cast<uintptr_t>(Py_TYPE(object)));
    mix(uint64_t(value));
    objects.push_back(object);
  }

private:
  void mix(uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio, the multiplier of Fibonacci hashing
    hash ^= hash >> 29;
  }
};

/// A stored form, which owns its objects, and the prepared launch.
struct Entry {
  std::vector<uint64_t> words;
  std::vector<py::object> objects;
  py::object run;

  /// Compares the form with `other`, whose hash is equal. Can run Python code.
  bool equals(const Form &other) const {
    if (!std::ranges::equal(words, std::ranges::subrange(other.words.begin(), other.words.end())) ||
        objects.size() != other.objects.size())
      return false;
    for (size_t i = 0; i < objects.size(); ++i) {
      if (objects[i].ptr() == other.objects[i])
        continue;
      int equal = PyObject_RichCompareBool(objects[i].ptr(), other.objects[i], Py_EQ);
      if (equal < 0)
        throw py::error_already_set();
      if (!equal)
        return false;
    }
    return true;
  }
};

/// Entries by the hash of their form. Of several forms with the same hash, only the latest one is stored. Entries are
/// shared, because a comparison can run Python code, during which another thread can clear the table.
using Entries = std::unordered_map<uint64_t, std::shared_ptr<const Entry>>;

struct CacheState {
  py::object prepare, formOf, currentTarget;
  uint64_t alignment;
  size_t mostForms;
  Entries entries;
};

struct CacheObject {
  PyObject_HEAD CacheState *state;

  static CacheState *&stateOf(PyObject *object) { return reinterpret_cast<CacheObject *>(object)->state; }
};

/// Computes the form of one call.
class FormReader {
public:
  explicit FormReader(CacheState &state) : state(state) {}

  /// Sets `form`. Returns false if the call has no form, because an argument is not an array or a setting has no hash.
  bool read(PyObject *arrays, PyObject *settings) {
    try {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); ++i)
        addArray(PyTuple_GET_ITEM(arrays, i), /*isFirst=*/i == 0);
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(settings); ++i)
        form.add(PyTuple_GET_ITEM(settings, i));
    } catch (py::error_already_set &error) {
      if (error.matches(PyExc_TypeError) || error.matches(PyExc_AttributeError))
        return false;
      throw;
    }
    return hasFirst;
  }

  Form form;

private:
  void addArray(PyObject *array, bool isFirst) {
    bool isOnHost = false;
    if (array == Py_None) {
      form.add(uint64_t(0));
      if (isFirst)
        hasFirst = false;
    } else if (!addTensor(array, isOnHost)) {
      isOnHost = addOther(array);
    }
    // The first array determines where the launch runs.
    if (isFirst && isOnHost)
      addOwned(state.currentTarget());
  }

  /// Adds an array that is read by DLPack's exchange table. Returns false if this is not possible.
  bool addTensor(PyObject *array, bool &isOnHost) {
    const ArrayType &type = arrayTypeOf(Py_TYPE(array));
    if (type.reader != ArrayReader::Exchange)
      return false;
    dlpack::Tensor tensor;
    if (type.exchange->tensorFromPyObject(array, &tensor) != 0) {
      PyErr_Clear(); // `form_of` raises the error
      return false;
    }
    isOnHost = gpuTypeOf(tensor.device.type) == dlpack::kCpu;
    form.add(reinterpret_cast<uintptr_t>(type.type));
    form.add(uint64_t(tensor.dtype.code) | uint64_t(tensor.dtype.bits) << 8 | uint64_t(tensor.dtype.lanes) << 16 |
             uint64_t(uint32_t(tensor.ndim)) << 32);
    form.add(uint64_t(uint32_t(tensor.device.type)) | uint64_t(uint32_t(tensor.device.id)) << 32);
    auto address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
    form.add((address & (state.alignment - 1)) << 1 | uint64_t(tensor.strides != nullptr));
    for (int i = 0; i < tensor.ndim; ++i)
      form.add(uint64_t(tensor.shape[i]));
    for (int i = 0; tensor.strides && i < tensor.ndim; ++i)
      form.add(uint64_t(tensor.strides[i]));
    return true;
  }

  /// Adds the result of `form_of`, whose first element is -1 for arrays on the host. Returns true for such arrays.
  bool addOther(PyObject *array) {
    py::object properties = state.formOf(py::handle(array), state.alignment);
    bool isOnHost = properties[py::int_(0)].cast<int>() < 0;
    addOwned(std::move(properties));
    return isOnHost;
  }

  void addOwned(py::object object) {
    form.add(object.ptr());
    owned.push_back(std::move(object));
  }

  CacheState &state;
  std::vector<py::object> owned;
  bool hasFirst = true;
};

} // namespace

static std::shared_ptr<const Entry> entryOf(const Form &form, py::object run) {
  auto entry = std::make_shared<Entry>();
  entry->words.assign(form.words.begin(), form.words.end());
  for (PyObject *object : form.objects)
    entry->objects.push_back(py::reinterpret_borrow<py::object>(object));
  entry->run = std::move(run);
  return entry;
}

static py::object prepare(const CacheState &state, PyObject *arrays, PyObject *settings) {
  auto arguments = py::reinterpret_steal<py::object>(PySequence_Concat(arrays, settings));
  PyObject *run = arguments ? PyObject_CallObject(state.prepare.ptr(), arguments.ptr()) : nullptr;
  if (!run)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(run);
}

static py::object findOrPrepare(CacheState &state, PyObject *arrays, PyObject *settings) {
  FormReader reader(state);
  if (!reader.read(arrays, settings))
    return prepare(state, arrays, settings);
  const Form &form = reader.form;
  if (auto found = state.entries.find(form.hash); found != state.entries.end()) [[likely]] {
    std::shared_ptr<const Entry> entry = found->second;
    if (entry->equals(form)) [[likely]]
      return entry->run;
  }
  py::object run = prepare(state, arrays, settings);
  Entries dropped; // destroyed last, because destructors of objects can run Python code
  if (state.entries.size() >= state.mostForms)
    dropped.swap(state.entries);
  std::shared_ptr<const Entry> entry = entryOf(form, run);
  state.entries[form.hash].swap(entry);
  return run;
}

/// The Python method find(arrays, settings).
static PyObject *find(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  if (count != 2 || !PyTuple_Check(arguments[0]) || !PyTuple_Check(arguments[1])) {
    PyErr_SetString(PyExc_TypeError, "LaunchCache.find() takes two tuples, arrays and settings");
    return nullptr;
  }
  bindings::Presence presence;
  return bindings::guarded<PyObject *>(
      nullptr, [&] { return findOrPrepare(*CacheObject::stateOf(self), arguments[0], arguments[1]).release().ptr(); });
}

/// The Python method __init__(prepare, alignment, most_forms, form_of, current_target).
static int initializeCache(PyObject *self, PyObject *arguments, PyObject *) {
  PyObject *prepare, *formOf, *currentTarget;
  unsigned long long alignment, mostForms;
  if (!PyArg_ParseTuple(arguments, "OKKOO", &prepare, &alignment, &mostForms, &formOf, &currentTarget))
    return -1;
  auto borrow = [](PyObject *object) { return py::reinterpret_borrow<py::object>(object); };
  auto *state = new CacheState{borrow(prepare), borrow(formOf), borrow(currentTarget), alignment, mostForms, {}};
  delete std::exchange(CacheObject::stateOf(self), state);
  return 0;
}

static PyObject *newCache(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self)
    CacheObject::stateOf(self) = nullptr;
  return self;
}

static int traverseCache(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  CacheState *state = CacheObject::stateOf(self);
  if (!state)
    return 0;
  Py_VISIT(state->prepare.ptr());
  Py_VISIT(state->formOf.ptr());
  Py_VISIT(state->currentTarget.ptr());
  for (const auto &[hash, entry] : state->entries) {
    Py_VISIT(entry->run.ptr());
    for (const py::object &object : entry->objects)
      Py_VISIT(object.ptr());
  }
  return 0;
}

static int clearCache(PyObject *self) {
  if (CacheState *state = CacheObject::stateOf(self)) {
    Entries dropped;
    dropped.swap(state->entries);
  }
  return 0;
}

static void freeCache(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  delete CacheObject::stateOf(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static Py_ssize_t countForms(PyObject *self) { return Py_ssize_t(CacheObject::stateOf(self)->entries.size()); }

/// The Python method clear().
static PyObject *clearForms(PyObject *self, PyObject *) {
  clearCache(self);
  return Py_NewRef(Py_None);
}

static PyMethodDef cacheMethods[] = {
    {"find", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(find)), METH_FASTCALL, nullptr},
    {"clear", clearForms, METH_NOARGS, nullptr},
    {}};

static PyType_Slot cacheSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newCache)},      {Py_tp_init, reinterpret_cast<void *>(initializeCache)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeCache)}, {Py_tp_traverse, reinterpret_cast<void *>(traverseCache)},
    {Py_tp_clear, reinterpret_cast<void *>(clearCache)},  {Py_tp_methods, cacheMethods},
    {Py_sq_length, reinterpret_cast<void *>(countForms)}, {0, nullptr}};

static PyType_Spec cacheSpec = {"hocket._core.LaunchCache", sizeof(CacheObject), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, cacheSlots};

} // namespace hocket::dispatch

void hocket::bindings::bindLaunchCache(py::module_ &module) {
  auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&hocket::dispatch::cacheSpec));
  if (!type)
    throw py::error_already_set();
  module.attr("LaunchCache") = type;
}
