//===- OutsideWorld.h - Rejects functions whose results vary between runs -----------===//
//
// A kernel is compiled once and cached, also on disk. If a kernel read a random number, the time, an environment
// variable or a file, the kernel would silently keep the value of the first compilation.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_OUTSIDEWORLD_H
#define HOCKET_FRONTEND_SEMANTICS_OUTSIDEWORLD_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Raises an error if `object`, a module or a callable, is in a Python module whose results can vary between runs, such
/// as random, time, os or numpy.random. `spelling` is the name in the kernel's source, such as "time.time".
void checkConstant(Emitter &e, py::handle object, const std::string &spelling);

/// Raises an error if `function`, which runs at compile time, reads a name that checkConstant rejects. Also checks the
/// user's functions that `function` calls. time.sleep is allowed.
void checkReads(Emitter &e, py::handle function);

} // namespace hocket::frontend

#endif
