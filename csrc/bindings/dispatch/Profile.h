//===- Profile.h - Profiling of launches -----------------------------------------------===//
//
//   addProfile      adds the option `profile` of hocket.runtime.profiling to launches without that option
//   ProfiledLaunch  gets memory for a launch's records from the profiler, and notifies the profiler after queuing
//
// A profiler is a Python object with the methods of hocket.runtime.profiling.Sink. A profiler with a `recorder`
// (Recorder.h) is not called for each launch. Without a profiler, a launch costs only one additional comparison.
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

/// The profiler of a launch, or none.
class Profiler {
public:
  Profiler() = default;
  explicit Profiler(pybind11::object sink) : sink(std::move(sink)) {}

  pybind11::object sink;
  pybind11::object text; ///< value of the option, to which the arguments hold references
};

/// Adds the option `profile` to `bound`. The returned Profiler keeps the option's value alive.
Profiler addProfile(const Signature &signature, BoundArguments &bound);

class ProfiledLaunch {
public:
  /// `place`: a GPU's ordinal, or the target of an emulated GPU.
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

  /// Address of the memory for records; 0 if there is none.
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
  LaunchRecorder *recorder = nullptr; ///< the recorder of the profiler; null if it has none
  std::optional<LaunchRecorder::Lent> lent;
  GridSize grid = {};
  void *stream = nullptr;
  uint64_t address = 0;
};

} // namespace hocket::dispatch

#endif
