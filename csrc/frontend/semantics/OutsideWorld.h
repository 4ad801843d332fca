//===- OutsideWorld.h - What answers differently from one call to the next ----------===//
//
// A kernel is compiled once and kept, also on disk: a random number, the time, a variable of the environment or the
// text of a file would silently stay what it was then.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_OUTSIDEWORLD_H
#define HOCKET_FRONTEND_SEMANTICS_OUTSIDEWORLD_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// Stops where `object`, a module or a callable, is random, time, os, numpy.random, .. or comes from there. `spelling`
/// is how the kernel names it: "time.time".
void checkConstant(Emitter &e, py::handle object, const std::string &spelling);

/// The same for what `function`, which runs at compile time, reads, and the user's functions that it calls.
void checkReads(Emitter &e, py::handle function);

} // namespace hocket::frontend

#endif
