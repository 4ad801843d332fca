//===- Presence.h - Threads in the core at process exit and forks ------------------===//
//
// When the process ends, Python ends remaining threads by unwinding their stacks where they take the GIL. That is
// unsafe in C++: it happens in destructors, and further destructors would then use Python's objects without the GIL.
// And while such a thread compiles without the GIL, LLVM's globals are destroyed. So at exit new calls into the core
// block forever, and so do running calls when they take the GIL; only then Python continues to exit. (Python 3.14 and
// later blocks such threads itself, but does not protect the globals.)
//
// A forked child has only the forking thread. Locks of a compilation in another thread stay locked in the child
// forever, so a fork waits until no other thread compiles.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_PRESENCE_H
#define HOCKET_BINDINGS_PRESENCE_H

#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Scope of a call into the core that runs Python code, or releases the GIL, while C++ frames are on the stack.
/// Constructed with the GIL.
class Presence {
public:
  Presence();
  ~Presence();
  Presence(const Presence &) = delete;
};

/// Scope of a call that compiles. Throws a LaunchError in a child process that was forked during a compilation.
class Compiling {
public:
  Compiling();
  ~Compiling();
  Compiling(const Compiling &) = delete;

private:
  Presence presence;
};

/// Scope in which other Python threads can run.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil &) = delete;

private:
  Presence presence;
  PyThreadState *state;
};

/// Declares that the calling thread abandons a compilation, which continues in a thread unknown to Python. Needs the
/// GIL.
void leaveBehind();
/// Declares that an abandoned compilation has ended, with or without the GIL.
void noLongerLeftBehind();

/// True if the process is exiting and waits for the threads in the core.
bool isExiting();

/// True if the calling thread compiles, possibly further up its stack.
bool isCompiling();

/// Returns a number that changes in a forked child.
unsigned forkGeneration();

} // namespace hocket::bindings

#endif
