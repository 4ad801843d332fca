//===- Presence.h - Threads that are in the core when the process ends or forks ----===//
//
// Python ends the threads that still run when the process does by unwinding their stacks where they ask for the GIL.
// C++ cannot be unwound so (a destructor that needs the GIL is where it happens, and destructors would then touch
// Python's objects without it), and while such a thread compiles without the GIL, LLVM's globals are destroyed. So at
// exit new calls into the core wait for ever, and so do those under way when they ask for the GIL; only then Python
// goes on. (Python does so itself from 3.14 on, but for the globals.)
//
// A child process that is forked has the forking thread alone. What another thread was compiling keeps its locks there
// for ever, so a fork waits until no other thread compiles.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_PRESENCE_H
#define HOCKET_BINDINGS_PRESENCE_H

#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Stands on the stack of a call into the core that runs Python code, or releases the GIL, while C++ waits. Made with
/// the GIL.
class Presence {
public:
  Presence();
  ~Presence();
  Presence(const Presence &) = delete;
};

/// A call that compiles. Throws a LaunchError in a child process that has inherited half a compilation.
class Compiling {
public:
  Compiling();
  ~Compiling();
  Compiling(const Compiling &) = delete;

private:
  Presence presence;
};

/// Lets other Python threads run.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil &) = delete;

private:
  Presence presence;
  PyThreadState *state;
};

/// The calling thread leaves a compilation behind, in a thread that Python does not know of. Needs the GIL.
void leaveBehind();
/// That compilation has ended, with or without the GIL.
void noLongerLeftBehind();

/// True when the process ends and waits for the threads in the core.
bool isExiting();

/// Whether the calling thread compiles, perhaps further up its stack.
bool isCompiling();

/// Changes in a child process that is forked.
unsigned forkGeneration();

} // namespace hocket::bindings

#endif
