//===- LaunchProfile.h - What a launch does where somebody profiles -----------------===//
//
//   addProfile      the option `profile` of launches that say none, from hocket.runtime.profiling
//   ProfiledLaunch  whoever profiles gives the memory for a launch's records, and learns that it has been queued
//
// Who profiles is an object of Python with the methods of hocket.runtime.profiling.Sink; one with a `recorder`
// (LaunchRecorder.h) is not asked for each launch. Where nobody profiles this costs one comparison, and kernels that
// record nothing another one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHPROFILE_H
#define HOCKET_BINDINGS_LAUNCHPROFILE_H

#include "bindings/launch/LaunchRecorder.h"
#include "bindings/launch/LaunchSignature.h"
#include "bindings/launch/LaunchTable.h"
#include "runtime/KernelFacts.h"

namespace hocket::launch {

/// Python says how many profile at the moment.
void setProfilers(int count);

/// Who profiles a launch, or nobody.
class Profiler {
public:
  Profiler() = default;
  explicit Profiler(pybind11::object sink) : sink(std::move(sink)) {}

  pybind11::object sink;
  pybind11::object text; ///< the option, which arguments refer to
};

/// Adds the option to `bound`; the result keeps it alive.
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

  /// 0 if nobody gives one.
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
  LaunchRecorder *recorder = nullptr; ///< of the sink; null if it has none
  std::optional<LaunchRecorder::Lent> lent;
  GridSize grid = {};
  void *stream = nullptr;
  uint64_t address = 0;
};

} // namespace hocket::launch

#endif
