//===- LaunchProfile.h - What a launch does where somebody profiles -----------------===//
//
//   addProfile      the option `profile` of launches that say none, from hocket.runtime.profiling
//   ProfiledLaunch  whoever profiles gives the memory for a launch's records, and learns that it has been queued
//
// Where nobody profiles this costs one comparison, and kernels that record nothing another one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHPROFILE_H
#define HOCKET_BINDINGS_LAUNCHPROFILE_H

#include "bindings/launch/LaunchSignature.h"
#include "bindings/launch/LaunchTable.h"
#include "runtime/KernelFacts.h"

namespace hocket::launch {

/// Python says how many profile at the moment.
void setProfilers(int count);

/// Bytes that a kernel's records take for each block; 0 where they go elsewhere, -1 if it records nothing.
int64_t profileBytesOf(const KernelFacts &facts);

/// The result keeps what was added alive.
pybind11::object addProfile(const Signature &signature, BoundArguments &bound);

class ProfiledLaunch {
public:
  /// `place`: a GPU's ordinal, or the target of an emulated GPU.
  ProfiledLaunch(const Compiled &compiled, const GridSize &grid, pybind11::object place, void *stream) {
    if (compiled.profileBytes >= 0) [[unlikely]]
      begin(compiled, grid, std::move(place), stream);
  }
  /// 0 if nobody gives one.
  uint64_t buffer() const { return address; }
  void launched() {
    if (launch) [[unlikely]]
      end();
  }

private:
  void begin(const Compiled &compiled, const GridSize &grid, pybind11::object place, void *stream);
  void end();

  pybind11::object launch; ///< hocket.runtime.profiling.Launch
  uint64_t address = 0;
};

} // namespace hocket::launch

#endif
