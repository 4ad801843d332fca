//===- LaunchFunction.cpp - The path of a launch ------------------------------------===//
//
//   k[grid](x, y, n, BLOCK=1024)
//   |       `-- bind to parameters, specialise, find the compiled kernel (else call k._compile), queue it
//   `-- LaunchFunction, the base of hocket.JITFunction; subscribing it makes a GridLaunch
//
// A repeated launch runs no Python code and allocates two small objects (the grid's tuple and the GridLaunch), so this
// file uses Python's C API where pybind11 would wrap.
//
//===------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/Errors.h"
#include "bindings/LaunchGrid.h"
#include "bindings/LaunchStream.h"
#include "bindings/LaunchTable.h"
#include "runtime/LaunchError.h"
#include "runtime/cuda/CudaDevice.h"
#include <cstddef>
#include <structmember.h>

namespace py = pybind11;

namespace hocket::launch {

namespace {

/// What C++ knows of a jit function.
struct FunctionState {
  Signature signature;
  ConstantTypes constants;
  LaunchTable table;
};

struct LaunchFunction {
  PyObject_HEAD FunctionState *state;
};

/// `k[grid]`.
struct GridLaunch {
  PyObject_HEAD vectorcallfunc vectorcall;
  LaunchFunction *function;
  PyObject *grid;
};

PyTypeObject *gridLaunchType = nullptr;

constexpr int kEmulatorDevice = -1;

} // namespace

// Compiling --------------------------------------------------------------------------------------------------------

static std::shared_ptr<Compiled> compile(LaunchFunction *self, const BoundArguments &bound,
                                         const Specialization &call) {
  const Signature &signature = self->state->signature;
  py::dict options;
  for (const BoundArguments::GivenOption &given : bound.options)
    options[signature.options[given.index].name] = py::handle(given.value);
  py::tuple described = describe(signature, call.codes);
  const Code &device = call.codes.back();
  py::object place = device.object ? py::reinterpret_borrow<py::object>(device.object) : py::int_(device.number);
  py::object object =
      py::handle(reinterpret_cast<PyObject *>(self)).attr("_compile")(described[0], described[1], options, place);

  auto compiled = std::make_shared<Compiled>();
  compiled->codes = call.codes;
  for (const Code &code : compiled->codes)
    Py_XINCREF(code.object);
  compiled->hash = call.hash;
  compiled->object = object;
  py::object launcher = object.attr("_launcher");
  if (py::isinstance<DeviceKernel>(launcher))
    compiled->kernel = launcher.cast<DeviceKernel *>();
  else
    compiled->emulate = launcher;
  for (py::handle item : object.attr("_used_globals")) {
    auto fields = item.cast<py::tuple>();
    compiled->globals.push_back({fields[0], fields[1], fields[2]});
  }
  self->state->table.insert(compiled);
  return compiled;
}

/// Adds where the kernel runs to the key: GPU ordinal, or the emulator and its target.
static void appendDevice(Specialization &call) {
  if (call.cudaType)
    return appendCode(call, {.kind = CodeKind::Device, .number = call.device});
  static PyObject *choosePlace = nullptr;
  if (!choosePlace)
    choosePlace =
        py::object(py::module_::import("hocket.runtime.places").attr("place_without_gpu_arrays")).release().ptr();
  PyObject *hasHostArrays = call.hostArrays.empty() ? Py_False : Py_True;
  call.place = py::reinterpret_steal<py::object>(PyObject_CallOneArg(choosePlace, hasHostArrays));
  if (!call.place)
    throw py::error_already_set();
  if (PyLong_Check(call.place.ptr())) {
    call.device = call.place.cast<int>();
    return appendCode(call, {.kind = CodeKind::Device, .number = call.device});
  }
  appendCode(call, {.kind = CodeKind::Device, .number = kEmulatorDevice, .object = call.place.ptr()});
}

static std::shared_ptr<Compiled> findOrCompile(LaunchFunction *self, const BoundArguments &bound,
                                               Specialization &call) {
  specialize(self->state->signature, self->state->constants, bound, call);
  appendDevice(call);
  std::shared_ptr<Compiled> compiled = self->state->table.find(call);
  return compiled ? compiled : compile(self, bound, call);
}

// Launching --------------------------------------------------------------------------------------------------------

static void launchOnGpu(const Compiled &compiled, const GridSize &grid, void *stream, Specialization &call) {
  llvm::SmallVector<void *, 32> parameters;
  for (uint64_t &value : call.values)
    parameters.push_back(&value);
  // Without the GIL: a full queue makes the driver wait, perhaps for a host function that needs the GIL.
  py::gil_scoped_release release;
  compiled.kernel->launch(grid, stream, parameters.data());
}

static void launchEmulated(const Compiled &compiled, const GridSize &grid, const Specialization &call) {
  py::list values;
  for (uint64_t value : call.values)
    values.append(value);
  for (const Specialization::HostArray &array : call.hostArrays)
    values[array.value] = py::make_tuple(reinterpret_cast<uintptr_t>(array.memory.address), array.memory.bytes,
                                         array.memory.writable, elementNumpyName(array.memory.element));
  compiled.emulate(py::make_tuple(grid[0], grid[1], grid[2]), values);
}

static PyObject *launch(LaunchFunction *self, PyObject *gridObject, PyObject *const *arguments, size_t positional,
                        PyObject *keywordNames) {
  BoundArguments bound;
  bindArguments(self->state->signature, arguments, positional, keywordNames, bound);
  if (bound.grid)
    throw LaunchError(self->state->signature.function +
                      "(): the grid stands in brackets: " + self->state->signature.function + "[grid](...)");
  Specialization call;
  std::shared_ptr<Compiled> compiled = findOrCompile(self, bound, call);
  GridSize grid = evaluateGrid(gridObject, self->state->signature, bound);
  if (compiled->kernel) [[likely]] {
    void *stream = bound.stream ? streamOf(bound.stream) : currentStream(call.cudaType, call.device);
    launchOnGpu(*compiled, grid, stream, call);
  } else {
    launchEmulated(*compiled, grid, call);
  }
  return compiled->object.inc_ref().ptr();
}

/// Runs `body`, which returns a new reference, and turns its exceptions into Python's.
template <typename F>
static PyObject *guarded(F &&body) noexcept {
  try {
    return body();
  } catch (...) {
    bindings::setPythonError(std::current_exception());
    return nullptr;
  }
}

// GridLaunch -------------------------------------------------------------------------------------------------------

static PyObject *callGridLaunch(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *keywordNames) {
  auto *bound = reinterpret_cast<GridLaunch *>(self);
  return guarded(
      [&] { return launch(bound->function, bound->grid, arguments, PyVectorcall_NARGS(flags), keywordNames); });
}

static int traverseGridLaunch(PyObject *self, visitproc visit, void *arg) {
  auto *bound = reinterpret_cast<GridLaunch *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(bound->function);
  Py_VISIT(bound->grid);
  return 0;
}

static void freeGridLaunch(PyObject *self) {
  auto *bound = reinterpret_cast<GridLaunch *>(self);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(bound->function);
  Py_XDECREF(bound->grid);
  type->tp_free(self);
  Py_DECREF(type);
}

static PyMemberDef gridLaunchMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(GridLaunch, vectorcall), READONLY, nullptr}, {}};

static PyType_Slot gridLaunchSlots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                                        {Py_tp_traverse, reinterpret_cast<void *>(traverseGridLaunch)},
                                        {Py_tp_dealloc, reinterpret_cast<void *>(freeGridLaunch)},
                                        {Py_tp_members, gridLaunchMembers},
                                        {0, nullptr}};

static PyType_Spec gridLaunchSpec = {"hocket._core.GridLaunch", sizeof(GridLaunch), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                                     gridLaunchSlots};

// LaunchFunction ---------------------------------------------------------------------------------------------------

static PyObject *makeGridLaunch(PyObject *self, PyObject *grid) {
  auto *function = reinterpret_cast<LaunchFunction *>(self);
  if (!function->state) {
    PyErr_SetString(PyExc_RuntimeError, "JITFunction.__init__ was not called");
    return nullptr;
  }
  auto *bound = PyObject_GC_New(GridLaunch, gridLaunchType);
  if (!bound)
    return nullptr;
  bound->vectorcall = callGridLaunch;
  bound->function = reinterpret_cast<LaunchFunction *>(Py_NewRef(self));
  bound->grid = Py_NewRef(grid);
  PyObject_GC_Track(reinterpret_cast<PyObject *>(bound));
  return reinterpret_cast<PyObject *>(bound);
}

static PyObject *newFunction(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<LaunchFunction *>(type->tp_alloc(type, 0));
  if (self)
    self->state = nullptr;
  return reinterpret_cast<PyObject *>(self);
}

/// _configure(name, parameters, options, positional_count, var_args, constexpr_class, constant_types)
static PyObject *configure(PyObject *object, PyObject *argumentTuple) {
  auto *self = reinterpret_cast<LaunchFunction *>(object);
  return guarded([&]() -> PyObject * {
    auto arguments = py::reinterpret_borrow<py::tuple>(argumentTuple);
    auto state = std::make_unique<FunctionState>();
    state->signature.function = arguments[0].cast<std::string>();
    state->signature.read(arguments[1], arguments[2]);
    state->signature.positionalCount = arguments[3].cast<size_t>();
    state->signature.varArgs = arguments[4].cast<int>();
    state->constants = {arguments[5], arguments[6]};
    delete self->state;
    self->state = state.release();
    return Py_NewRef(Py_None);
  });
}

/// _specialize(*args, **kwargs): the CompiledKernel of a launch with these arguments, compiled but not launched.
static PyObject *specializeOnly(PyObject *object, PyObject *const *arguments, Py_ssize_t positional,
                                PyObject *keywordNames) {
  auto *self = reinterpret_cast<LaunchFunction *>(object);
  return guarded([&] {
    BoundArguments bound;
    bindArguments(self->state->signature, arguments, positional, keywordNames, bound);
    Specialization call;
    return findOrCompile(self, bound, call)->object.inc_ref().ptr();
  });
}

static PyObject *forget(PyObject *object, PyObject *) {
  reinterpret_cast<LaunchFunction *>(object)->state->table.clear();
  return Py_NewRef(Py_None);
}

static int traverseFunction(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<LaunchFunction *>(object);
  Py_VISIT(Py_TYPE(object));
  if (!self->state)
    return 0;
  int stop = 0;
  auto visitObject = [&](PyObject *held) {
    if (held && !stop)
      stop = visit(held, arg);
  };
  for (const Parameter &parameter : self->state->signature.parameters)
    visitObject(parameter.defaultValue.ptr());
  self->state->table.forEach([&](const Compiled &compiled) {
    visitObject(compiled.object.ptr());
    visitObject(compiled.emulate.ptr());
    for (const Code &code : compiled.codes)
      visitObject(code.object);
    for (const UsedGlobal &global : compiled.globals) {
      visitObject(global.owner.ptr());
      visitObject(global.value.ptr());
    }
  });
  return stop;
}

static int clearFunction(PyObject *object) {
  auto *self = reinterpret_cast<LaunchFunction *>(object);
  if (self->state)
    self->state->table.clear();
  return 0;
}

static void freeFunction(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  delete reinterpret_cast<LaunchFunction *>(object)->state;
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMethodDef functionMethods[] = {{"_configure", configure, METH_VARARGS, nullptr},
                                        {"_specialize",
                                         reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(specializeOnly)),
                                         METH_FASTCALL | METH_KEYWORDS, nullptr},
                                        {"_forget", forget, METH_NOARGS, nullptr},
                                        {}};

static PyType_Slot functionSlots[] = {{Py_tp_new, reinterpret_cast<void *>(newFunction)},
                                      {Py_tp_dealloc, reinterpret_cast<void *>(freeFunction)},
                                      {Py_tp_traverse, reinterpret_cast<void *>(traverseFunction)},
                                      {Py_tp_clear, reinterpret_cast<void *>(clearFunction)},
                                      {Py_tp_methods, functionMethods},
                                      {Py_mp_subscript, reinterpret_cast<void *>(makeGridLaunch)},
                                      {0, nullptr}};

static PyType_Spec functionSpec = {"hocket._core.LaunchFunction", sizeof(LaunchFunction), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, functionSlots};

} // namespace hocket::launch

void hocket::bindings::bindLaunch(py::module_ &module) {
  using namespace hocket::launch;
  auto make = [](PyType_Spec &spec) {
    auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
    if (!type)
      throw py::error_already_set();
    return type;
  };
  gridLaunchType = reinterpret_cast<PyTypeObject *>(make(gridLaunchSpec).release().ptr());
  module.attr("LaunchFunction") = make(functionSpec);
}
