//===- OutsideWorld.h - Rejects sources of values that vary between calls -----------===//
//
// A kernel is compiled once and cached, also on disk. If a kernel read a random number, the time, an environment
// variable or a file, the kernel would silently keep the value of the first compilation.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_OUTSIDEWORLD_H
#define HOCKET_FRONTEND_SEMANTICS_OUTSIDEWORLD_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Raises an error if `object`, a module or a callable, is or belongs to random, time, os, numpy.random, ... `spelling`
/// is the name that the kernel uses, such as "time.time".
void checkConstant(Emitter &e, py::handle object, const std::string &spelling);

/// Applies checkConstant to the names that are read by `function`, which runs at compile time, and by the user's
/// functions that `function` calls.
void checkReads(Emitter &e, py::handle function);

} // namespace hocket::frontend

#endif
