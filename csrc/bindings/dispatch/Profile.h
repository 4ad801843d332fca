//===- Profile.h - Profiling of launches -----------------------------------------------===//
//
//   addProfile      adds the option `profile` of hocket.runtime.profiling to launches without that option.
//   ProfiledLaunch  gets memory for a launch's records from the profiler, and notifies the profiler after queuing.
//
// A profiler is a Python object with the methods of hocket.runtime.profiling.Sink. If a profiler has the attribute
// `recorder`, a LaunchRecorder (Recorder.h), launches use the recorder and call no method of the profiler. If no
// profiler is active, profiling costs a launch only one comparison.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_PROFILE_H
#define HOCKET_BINDINGS_DISPATCH_PROFILE_H

#include "bindings/dispatch/Recorder.h"
#include "bindings/dispatch/Signature.h"
#include "bindings/dispatch/Table.h"
#include "runtime/KernelFacts.h"

namespace hocket::dispatch {

/// Sets the number of active profilers. Python calls setProfilers.
void setProfilers(int count);

/// The profiler of a launch. `sink` is null if the launch is not profiled.
class Profiler {
public:
  Profiler() = default;
  explicit Profiler(pybind11::object sink) : sink(std::move(sink)) {}

  pybind11::object sink;
  /// Value of the option `profile`, to which `BoundArguments::options` holds a borrowed reference.
  pybind11::object text;
};

/// Adds the profiler's value of the option `profile` to `bound`, unless the launch sets the option itself. The returned
/// Profiler owns the value.
Profiler addProfile(const Signature &signature, BoundArguments &bound);

class ProfiledLaunch {
public:
  /// `place` is the ordinal of a GPU, or the target of an emulated GPU.
  ProfiledLaunch(const Profiler &profiler, const Compiled &compiled, const GridSize &grid, pybind11::object place,
                 void *stream) {
    if (compiled.facts->recordBytes) [[unlikely]]
      begin(profiler, compiled, grid, std::move(place), stream);
  }
  ~ProfiledLaunch() {
    if (lent) [[unlikely]]
      recorder->takeBack(*std::move(lent));
  }
  ProfiledLaunch(const ProfiledLaunch &) = delete;

  /// Returns the address of the memory for the launch's records; 0 if the launch has no such memory.
  uint64_t buffer() const { return address; }
  void launched() {
    if (sink) [[unlikely]]
      end();
  }

private:
  void begin(const Profiler &profiler, const Compiled &compiled, const GridSize &grid, pybind11::object place,
             void *stream);
  void end();

  pybind11::object sink, kernel, place;
  LaunchRecorder *recorder = nullptr; ///< the attribute `recorder` of the profiler; null if the profiler has none
  std::optional<LaunchRecorder::Lent> lent;
  GridSize grid = {};
  void *stream = nullptr;
  uint64_t address = 0;
};

} // namespace hocket::dispatch

#endif
