//===- Presence.h - Threads in the core at process exit and forks ------------------===//
//
// When the process exits, Python ends each remaining thread as soon as the thread takes the GIL, by unwinding its
// stack. Unwinding is unsafe in C++: destructors often take the GIL, and the destructors of outer frames would then use
// Python's objects without the GIL. In addition, a thread that compiles without the GIL would continue while LLVM's
// globals are destroyed. At exit, new calls into the core block forever, and running calls block forever when they take
// the GIL. Python's exit waits until every running call has ended or blocked. (Python 3.14 and later versions block
// such threads themselves, but do not protect LLVM's globals.)
//
// A forked child has only the forking thread. Locks of a compilation in another thread stay locked in the child
// forever, so a fork waits until no other thread compiles.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_PRESENCE_H
#define HOCKET_BINDINGS_PRESENCE_H

#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Scope of a call into the core that runs Python code, or releases the GIL, while C++ frames are on the stack. Must be
/// constructed with the GIL.
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

/// Declares that the calling thread abandons a compilation, which continues in a thread unknown to Python. Requires the
/// GIL.
void leaveBehind();
/// Declares that an abandoned compilation has ended. Can be called with or without the GIL.
void noLongerLeftBehind();

/// True if the process is exiting and waits for the threads in the core.
bool isExiting();

/// True if a compilation is on the stack of the calling thread.
bool isCompiling();

/// Returns a number that changes in a forked child.
unsigned forkGeneration();

} // namespace hocket::bindings

#endif
