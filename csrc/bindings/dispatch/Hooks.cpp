//===- Hooks.cpp - Calls functions that observe launches ----------------------===//
#include "bindings/dispatch/Hooks.h"
#include "bindings/dispatch/Grid.h"

namespace py = pybind11;

namespace hocket::dispatch {

static int hooks = 0; // number of functions that observe launches; protected by the GIL

void setLaunchHooks(int count) { hooks = count; }
bool hasLaunchHooks() { return hooks != 0; }

void HookedLaunch::enter(const FunctionState &state, const BoundArguments &bound, const Specialization &call,
                         const Compiled &compiled, const GridSize &grid, void *stream) {
  event =
      py::module_::import("hocket.hooks")
          .attr("_enter")(py::handle(state.jitFunction), compiled.object, py::make_tuple(grid[0], grid[1], grid[2]),
                          call.place(), reinterpret_cast<uintptr_t>(stream), argumentsByName(state.signature, bound));
}

void HookedLaunch::exit() { py::module_::import("hocket.hooks").attr("_exit")(event); }

} // namespace hocket::dispatch
