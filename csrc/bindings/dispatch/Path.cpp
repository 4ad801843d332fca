//===- Path.cpp - The steps of a launch ------------------------------------------------===//
//
//   bind        arguments -> slots, one per parameter        LaunchSignature
//   specialize  slots -> key and values                      LaunchSpecialization, launch/Scalars, launch/Key
//   find        key -> compiled kernel, else k._compile      LaunchTable, launch/Table, LaunchCompilation
//   queue       kernel, grid, stream, values -> the driver   LaunchGrid, LaunchStream, launch/Rules, Launcher
//
// During a profiling session, LaunchProfile adds its option before the key is built, and provides memory for records
// around the queuing. LaunchHooks calls the functions of hocket.hooks before and after a launch is queued.
//
// This folder reads Python's objects; csrc/dispatch makes the decisions that depend on them.
//
//===------------------------------------------------------------------------------===//
#include "bindings/dispatch/Path.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Grid.h"
#include "bindings/dispatch/Hooks.h"
#include "bindings/dispatch/Profile.h"
#include "runtime/LaunchError.h"

namespace py = pybind11;

namespace hocket::dispatch {

static constexpr int kEmulatorDevice = -1;

// Finding the kernel -----------------------------------------------------------------------------------------------

static std::shared_ptr<Compiled> compile(FunctionState &state, const BoundArguments &bound, const LaunchKey &key) {
  // This scope starts before imports, because Python's import locks do not survive a fork, either.
  bindings::Compiling compiling;
  py::dict options;
  for (const BoundArguments::GivenOption &given : bound.options)
    options[state.signature.options[given.index].name] = py::handle(given.value);
  py::tuple described = describe(state.signature, key);
  const Code &device = key.codes.back();
  py::object place = device.object ? py::reinterpret_borrow<py::object>(device.object) : py::int_(device.number);
  py::object object = py::handle(state.jitFunction).attr("_compile")(described[0], described[1], options, place);

  auto compiled = std::make_shared<Compiled>();
  compiled->key = key;
  for (const Code &code : compiled->key.codes)
    Py_XINCREF(code.object);
  compiled->object = object;
  compiled->facts = object.attr("metadata").cast<const KernelFacts *>();
  compiled->launcher = makeLauncher(object.attr("_launcher"), *compiled->facts);
  for (py::handle item : object.attr("_used_globals")) {
    auto fields = item.cast<py::tuple>();
    compiled->globals.push_back({fields[0], fields[1], fields[2]});
  }
  state.table.insert(compiled);
  return compiled;
}

/// Compiles like `compile`, and makes other threads that need the same kernel wait for the result.
static std::shared_ptr<Compiled> compileForAll(FunctionState &state, const BoundArguments &bound,
                                               const LaunchKey &key) {
  CompilesForAll compiles(state.compilations, key);
  try {
    return compile(state, bound, key);
  } catch (const py::error_already_set &raised) {
    compiles.fail(raised);
    throw;
  }
}

/// Adds the device to the key: GPU ordinal, or the emulator and its target.
static void appendDevice(Specialization &call) {
  if (call.placement.isOnGpu()) [[likely]] {
    call.device = call.placement.device();
    return call.key.append({.kind = CodeKind::Device, .number = call.device});
  }
  static PyObject *choosePlace = nullptr;
  if (!choosePlace)
    choosePlace =
        py::object(py::module_::import("hocket.runtime.places").attr("place_without_gpu_arrays")).release().ptr();
  PyObject *hasHostArrays = call.placement.isOnHost() ? Py_True : Py_False;
  call.place = py::reinterpret_steal<py::object>(PyObject_CallOneArg(choosePlace, hasHostArrays));
  if (!call.place)
    throw py::error_already_set();
  if (PyLong_Check(call.place.ptr())) {
    call.device = call.place.cast<int>();
    return call.key.append({.kind = CodeKind::Device, .number = call.device});
  }
  call.key.append({.kind = CodeKind::Device, .number = kEmulatorDevice, .object = call.place.ptr()});
}

static std::shared_ptr<Compiled> findOrCompile(FunctionState &state, const BoundArguments &bound,
                                               Specialization &call) {
  specialize(state.signature, state.constants, bound, call);
  appendDevice(call);
  for (;;) {
    if (std::shared_ptr<Compiled> compiled = state.table.find(call.key)) [[likely]]
      return compiled;
    std::shared_ptr<Compilation> other = findCompilation(state.compilations, call.key);
    if (!other)
      return compileForAll(state, bound, call.key);
    other->wait();
  }
}

// Launching --------------------------------------------------------------------------------------------------------

py::object launch(FunctionState &state, PyObject *gridObject, const CallArguments &arguments) {
  BoundArguments bound;
  bindArguments(state.signature, arguments.values, arguments.positional, arguments.keywordNames, bound);
  if (bound.grid)
    throw LaunchError(state.signature.function + "(): the grid belongs in brackets: " + state.signature.function +
                      "[grid](...)");
  Profiler profiler = addProfile(state.signature, bound);
  Specialization call;
  std::shared_ptr<Compiled> compiled = findOrCompile(state, bound, call);
  GridSize grid = evaluateGrid(gridObject, state.signature, bound);
  const Launcher &launcher = *compiled->launcher;
  void *stream = launcher.streamOf(bound.stream, call);
  HookedLaunch hooked(state, bound, call, *compiled, grid, stream);
  ProfiledLaunch profiled(profiler, *compiled, grid, launcher.placeOf(call), stream);
  launcher.launch(grid, stream, call, profiled.buffer());
  profiled.launched();
  hooked.launched();
  return compiled->object;
}

py::object specializeOnly(FunctionState &state, const CallArguments &arguments) {
  BoundArguments bound;
  bindArguments(state.signature, arguments.values, arguments.positional, arguments.keywordNames, bound);
  Profiler profiler = addProfile(state.signature, bound);
  Specialization call;
  return findOrCompile(state, bound, call)->object;
}

} // namespace hocket::dispatch
