//===- Function.cpp - Python types LaunchFunction and GridLaunch -----------------------===//
//
//   k[grid](x, y, n, BLOCK=1024)
//   |-- LaunchFunction, the base of hocket.JITFunction; subscripting it creates
//   `-- a GridLaunch, which is called.
//
// A repeated launch runs no Python code and allocates two small objects (the grid's tuple and the GridLaunch), so these
// types are implemented with Python's C API instead of pybind11.
//
//===------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/Errors.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Path.h"
#include <cstddef>
#include <structmember.h>

namespace py = pybind11;

namespace hocket::dispatch {

namespace {

struct LaunchFunction {
  PyObject_HEAD FunctionState *state;
};

/// The Python object `k[grid]`.
struct GridLaunch {
  PyObject_HEAD vectorcallfunc vectorcall;
  LaunchFunction *function;
  PyObject *grid;
};

PyTypeObject *gridLaunchType = nullptr;

} // namespace

/// Calls `body`, which returns a new reference. If `body` throws a C++ exception, sets the Python exception for it and
/// returns null.
template <typename F>
static PyObject *guarded(F &&body) noexcept {
  return bindings::guarded<PyObject *>(nullptr, std::forward<F>(body));
}

// GridLaunch -------------------------------------------------------------------------------------------------------

static PyObject *callGridLaunch(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *keywordNames) {
  auto *bound = reinterpret_cast<GridLaunch *>(self);
  CallArguments call{arguments, size_t(PyVectorcall_NARGS(flags)), keywordNames};
  bindings::Presence presence;
  return guarded([&] { return launch(*bound->function->state, bound->grid, call).release().ptr(); });
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

/// The Python method _configure(name, parameters, options, positional_count, var_args, constexpr_class,
/// constant_types), which creates the FunctionState.
static PyObject *configure(PyObject *object, PyObject *argumentTuple) {
  auto *self = reinterpret_cast<LaunchFunction *>(object);
  return guarded([&]() -> PyObject * {
    auto arguments = py::reinterpret_borrow<py::tuple>(argumentTuple);
    auto state = std::make_unique<FunctionState>();
    state->jitFunction = object;
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

/// The Python method _specialize(*args, **kwargs), which compiles the kernel for these arguments without launching the
/// kernel, and returns the CompiledKernel.
static PyObject *callSpecialize(PyObject *object, PyObject *const *arguments, Py_ssize_t positional,
                                PyObject *keywordNames) {
  auto *self = reinterpret_cast<LaunchFunction *>(object);
  bindings::Presence presence;
  return guarded(
      [&] { return specializeOnly(*self->state, {arguments, size_t(positional), keywordNames}).release().ptr(); });
}

/// The Python method warmup(*args, **kwargs), which calls JITFunction's `_warmup`. `warmup` is implemented in C++,
/// because a method implemented in Python would appear in the traceback of errors.
static PyObject *warmup(PyObject *object, PyObject *arguments, PyObject *keywords) {
  return guarded([&] {
    auto method = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "_warmup"));
    PyObject *result = method ? PyObject_Call(method.ptr(), arguments, keywords) : nullptr;
    if (!result)
      throw py::error_already_set();
    return result;
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
    visitObject(compiled.kernelObject.ptr());
    for (const Code &code : compiled.key.codes)
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

static constexpr char kWarmupDoc[] =
    "warmup(*args, grid=None, target=None, **kwargs)\n--\n\n"
    "Compile without launching; a CompiledKernel.\n\n"
    "Arrays may be given as their element types: `k.warmup(gl.float32, gl.float32, 1000, BLOCK=1024)`. With `target`,\n"
    "compile for a device that need not be available: `target=\"gfx950\"`.";

static PyMethodDef functionMethods[] = {{"_configure", configure, METH_VARARGS, nullptr},
                                        {"_specialize",
                                         reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callSpecialize)),
                                         METH_FASTCALL | METH_KEYWORDS, nullptr},
                                        {"warmup", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(warmup)),
                                         METH_VARARGS | METH_KEYWORDS, kWarmupDoc},
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

} // namespace hocket::dispatch

void hocket::bindings::bindLaunch(py::module_ &module) {
  using namespace hocket::dispatch;
  auto make = [](PyType_Spec &spec) {
    auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
    if (!type)
      throw py::error_already_set();
    return type;
  };
  gridLaunchType = reinterpret_cast<PyTypeObject *>(make(gridLaunchSpec).release().ptr());
  module.attr("LaunchFunction") = make(functionSpec);
}
