//===- Grid.h - Grid of a launch -------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_GRID_H
#define HOCKET_BINDINGS_DISPATCH_GRID_H

#include "bindings/dispatch/Signature.h"
#include "runtime/Device.h"

namespace hocket::dispatch {

/// Returns the grid of a launch. `grid` is an int, a tuple or list of one to three ints, or a function that returns one
/// of these. The function is called with the result of argumentsByName. Throws LaunchError.
GridSize evaluateGrid(PyObject *grid, const Signature &signature, const BoundArguments &bound);

/// Returns a dict with the arguments of a launch and the values of all launch options, by name.
pybind11::dict argumentsByName(const Signature &signature, const BoundArguments &bound);

} // namespace hocket::dispatch

#endif
