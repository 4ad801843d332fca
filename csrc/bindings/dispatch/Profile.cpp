//===- Profile.cpp - Profiling of launches ---------------------------------------------===//
#include "bindings/dispatch/Profile.h"

namespace py = pybind11;

namespace hocket::dispatch {

static int profilers = 0; // number of active profilers; protected by the GIL

void setProfilers(int count) { profilers = count; }

/// Returns the active profiler: the result of hocket.runtime.profiling.sink_for_launch, or null if the result is None.
/// The reference to `sink_for_launch` is never released, because at exit the interpreter may be destroyed first.
static py::object currentSink() {
  static PyObject *ask =
      py::object(py::module_::import("hocket.runtime.profiling").attr("sink_for_launch")).release().ptr();
  py::object sink = py::handle(ask)();
  return sink.is_none() ? py::object() : sink;
}

Profiler addProfile(const Signature &signature, BoundArguments &bound) {
  if (profilers == 0) [[likely]]
    return {};
  Profiler profiler(currentSink());
  if (!profiler.sink)
    return {};
  for (size_t i = 0; i < signature.options.size(); ++i) {
    if (signature.options[i].name.cast<std::string_view>() != "profile")
      continue;
    for (const BoundArguments::GivenOption &given : bound.options)
      if (given.index == i)
        return profiler;
    profiler.text = profiler.sink.attr("config").attr("text")();
    bound.options.push_back({uint32_t(i), profiler.text.ptr()});
  }
  return profiler;
}

static py::tuple asTuple(const GridSize &grid) { return py::make_tuple(grid[0], grid[1], grid[2]); }

void ProfiledLaunch::begin(const Profiler &profiler, const Compiled &compiled, const GridSize &size, py::object runsAt,
                           void *queue) {
  const int64_t bytes = compiled.facts->recordBytesOf(size);
  if (!profiler.sink || bytes == 0)
    return;
  kernel = compiled.object;
  place = std::move(runsAt);
  grid = size;
  stream = queue;
  py::object own = py::getattr(profiler.sink, "recorder", py::none());
  if (py::isinstance<LaunchRecorder>(own)) {
    recorder = own.cast<LaunchRecorder *>();
    lent = recorder->lend(size_t(bytes), place, stream);
    address = lent->address();
  } else {
    py::object given =
        profiler.sink.attr("buffer")(kernel, asTuple(grid), place, reinterpret_cast<uintptr_t>(stream), bytes);
    address = given.cast<uint64_t>();
  }
  sink = profiler.sink;
}

void ProfiledLaunch::end() {
  if (!recorder) {
    sink.attr("launched")(kernel, asTuple(grid), place, reinterpret_cast<uintptr_t>(stream), address);
    return;
  }
  LaunchRecorder::Lent given = *std::move(lent);
  lent.reset();
  recorder->launched(std::move(given), kernel, grid, place);
}

} // namespace hocket::dispatch
