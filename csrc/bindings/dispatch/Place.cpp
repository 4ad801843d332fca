//===- Place.cpp - Device of a launch without arrays on GPUs ---------------------------===//
#include "bindings/dispatch/Place.h"
#include "bindings/dispatch/Setting.h"

namespace py = pybind11;

namespace hocket::dispatch {

namespace {

/// Python objects of the module hocket.runtime.places.
struct Places {
  py::module_ module = py::module_::import("hocket.runtime.places");
  py::object emulatedTarget = module.attr("emulated_target");
  const LaunchSetting &setting = *emulatedTarget.cast<LaunchSetting *>();
  py::object compiledOnly = module.attr("compiled_only");
  py::object unusedScopes = module.attr("unused_scopes");
  py::object defaultTarget = module.attr("DEFAULT_EMULATED_TARGET");
  py::object choose = module.attr("place_without_gpu_arrays");

  /// True if `emulatedTarget` alone determines the device. The function `choose` is needed within compile_only.
  /// `choose` also reports calls such as hocket.emulator.target(...) that were not used in a `with` statement.
  bool areOrdinary() const {
    PyObject *target = nullptr;
    if (PyContextVar_Get(compiledOnly.ptr(), Py_None, &target) < 0)
      throw py::error_already_set();
    auto held = py::reinterpret_steal<py::object>(target);
    return held.is_none() && PyList_GET_SIZE(unusedScopes.ptr()) == 0;
  }
};

} // namespace

py::object placeWithoutGpuArrays(bool hasHostArrays) {
  // The initializer of `places` does not create the object: the import runs Python code, during which the guard of the
  // static variable would stay locked. `places` is never destroyed, because at exit the interpreter may be destroyed
  // first.
  static const Places *places = nullptr;
  if (!places)
    places = new Places;
  if (places->areOrdinary()) [[likely]] {
    std::optional<py::object> target = places->setting.find();
    if (target && !target->is_none())
      return *std::move(target);
    if (target && hasHostArrays)
      return places->defaultTarget;
  }
  return places->choose(hasHostArrays);
}

} // namespace hocket::dispatch
