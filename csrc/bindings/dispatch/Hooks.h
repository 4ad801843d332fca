//===- Hooks.h - Calls functions that observe launches ------------------------===//
//
// hocket.hooks holds the functions (hooks) that observe launches, and passes their number to setLaunchHooks. If no hook
// is registered, a launch only compares the number of hooks with 0.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_HOOKS_H
#define HOCKET_BINDINGS_DISPATCH_HOOKS_H

#include "bindings/dispatch/Path.h"
#include "bindings/dispatch/Specialization.h"
#include "runtime/Device.h"

namespace hocket::dispatch {

/// Sets the number of functions that observe launches. Requires the GIL.
void setLaunchHooks(int count);
bool hasLaunchHooks();

/// The constructor calls the enter hooks, and `launched` calls the exit hooks. If the launch throws an exception, the
/// exit hooks are not called.
class HookedLaunch {
public:
  HookedLaunch(const FunctionState &state, const BoundArguments &bound, const Specialization &call,
               const Compiled &compiled, const GridSize &grid, void *stream) {
    if (hasLaunchHooks()) [[unlikely]]
      enter(state, bound, call, compiled, grid, stream);
  }
  HookedLaunch(const HookedLaunch &) = delete;

  void launched() {
    if (event) [[unlikely]]
      exit();
  }

private:
  void enter(const FunctionState &state, const BoundArguments &bound, const Specialization &call,
             const Compiled &compiled, const GridSize &grid, void *stream);
  void exit();

  pybind11::object event; ///< the hocket.hooks.LaunchEvent of the launch; null if no hook is registered
};

} // namespace hocket::dispatch

#endif
