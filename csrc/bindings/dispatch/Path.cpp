//===- Path.cpp - The steps of a launch ------------------------------------------------===//
//
// A launch has four steps. Each line gives a step, its input and its result, and the files that implement the step.
//
//   bind        arguments -> slots, one per parameter               Signature
//   specialize  slots -> key and values                             Specialization, Place, dispatch/{Scalars, Key}
//   find        key -> compiled kernel, else k._compile             Table, dispatch/Table, Compilation
//   queue       kernel, grid, stream, values -> runtime/Device.h    Grid, Stream, HostArrays, dispatch/Rules.
//
// The kernel is a DeviceKernel. Launching a GPU kernel calls the driver. Launching an emulated kernel runs the kernel
// before the launch returns (bindings/emulator/Kernel.h).
//
// During a profiling session, Profile adds the option `profile` before the key is built, and provides memory for
// records when the launch is queued. Hooks calls the functions of hocket.hooks before and after the launch is queued.
//
// The files in this folder read Python objects. csrc/dispatch contains the parts of a launch that need no Python.
//
//===------------------------------------------------------------------------------===//
#include "bindings/dispatch/Path.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Grid.h"
#include "bindings/dispatch/Hooks.h"
#include "bindings/dispatch/HostArrays.h"
#include "bindings/dispatch/Place.h"
#include "bindings/dispatch/Profile.h"
#include "bindings/dispatch/Stream.h"
#include "runtime/LaunchError.h"

namespace py = pybind11;

namespace hocket::dispatch {

static constexpr int kEmulatorDevice = -1;

// Kernel lookup ----------------------------------------------------------------------------------------------------

static std::shared_ptr<Compiled> compile(FunctionState &state, const BoundArguments &bound, const LaunchKey &key) {
  // The scope Compiling starts before `_compile` imports modules. A fork during an import would leave locks locked in
  // the child.
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
  compiled->kernelObject = object.attr("_device_kernel");
  compiled->kernel = compiled->kernelObject.cast<DeviceKernel *>();
  for (py::handle item : object.attr("_used_globals")) {
    auto fields = item.cast<py::tuple>();
    compiled->globals.push_back({fields[0], fields[1], fields[2]});
  }
  state.table.insert(compiled);
  return compiled;
}

/// Compiles the kernel for `key`. Other threads that need the kernel wait for the result instead of compiling the
/// kernel, too.
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

/// Selects the device of a launch, and appends the device to the key: the ordinal of the GPU, or the target of the
/// emulated GPU.
static void appendDevice(Specialization &call) {
  if (call.placement.isOnGpu()) [[likely]] {
    call.device = call.placement.device();
    return call.key.append({.kind = CodeKind::Device, .number = call.device});
  }
  py::object place = placeWithoutGpuArrays(call.placement.isOnHost());
  if (PyLong_Check(place.ptr())) {
    call.device = place.cast<int>();
    return call.key.append({.kind = CodeKind::Device, .number = call.device});
  }
  call.emulatedTarget = std::move(place);
  call.key.append({.kind = CodeKind::Device, .number = kEmulatorDevice, .object = call.emulatedTarget.ptr()});
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

/// Returns the stream of a launch; null on the emulator. `given` is the launch argument `stream`, or null.
static void *streamOfLaunch(PyObject *given, const Specialization &call) {
  if (call.emulatedTarget)
    return nullptr;
  return given ? streamOf(given) : currentStream(call.gpuType, call.device);
}

/// Passes the launch of a kernel that was only compiled to the function in hocket.runtime.places.launch_tracer. Throws
/// LaunchError if there is no such function.
static void traceLaunch(const Compiled &compiled, const GridSize &grid, const Values &values) {
  py::list list;
  for (size_t i = 0; i < values.size(); ++i)
    list.append(values[i]);
  for (const Values::Wide &wide : values.wideValues())
    list[wide.index] = py::bytes(wide.bytes.data(), wide.bytes.size());
  py::object trace = py::module_::import("hocket.runtime.places").attr("trace_launch");
  if (!trace(compiled.object, py::make_tuple(grid[0], grid[1], grid[2]), list).cast<bool>())
    throw LaunchError("this kernel was compiled for " + compiled.facts->target + " only, not loaded on a device");
}

py::object launch(FunctionState &state, PyObject *gridObject, const CallArguments &arguments) {
  BoundArguments bound;
  bindArguments(state.signature, arguments.values, arguments.positional, arguments.keywordNames, bound);
  if (bound.grid)
    throw LaunchError(state.signature.function + "(): pass the grid in brackets: " + state.signature.function +
                      "[grid](...)");
  Profiler profiler = addProfile(state.signature, bound);
  Specialization call;
  std::shared_ptr<Compiled> compiled = findOrCompile(state, bound, call);
  GridSize grid = evaluateGrid(gridObject, state.signature, bound);
  if (!compiled->kernel) {
    traceLaunch(*compiled, grid, call.values);
    return compiled->object;
  }
  void *stream = streamOfLaunch(bound.stream, call);
  HookedLaunch hooked(state, bound, call, *compiled, grid, stream);
  ProfiledLaunch profiled(profiler, *compiled, grid, call.place(), stream);
  std::vector<HostArray> arrays = hostArraysOf(call);
  compiled->kernel->launch({grid, stream, call.values.pointers(), arrays, profiled.buffer()});
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
