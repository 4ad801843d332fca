//===- Presence.h - Threads in the core at process exit and forks ------------------===//
//
// When the process exits, Python ends each remaining thread as soon as the thread takes the GIL, by unwinding its
// stack. Unwinding is unsafe in C++: destructors often take the GIL, and the destructors of outer frames would then use
// Python's objects without the GIL. In addition, a thread that compiles without the GIL would continue while LLVM's
// globals are destroyed. At exit, new calls into the core block forever, and running calls block forever when they take
// the GIL. Python's exit waits until every running call has ended or blocked. Python 3.14 and later versions block such
// threads themselves, but do not protect LLVM's globals.
//
// A forked child has only the forking thread. Locks of a compilation in another thread stay locked in the child
// forever, so a fork waits until no other thread compiles.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_PRESENCE_H
#define HOCKET_BINDINGS_PRESENCE_H

#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Scope of a call into the core during which C++ code calls Python code or releases the GIL. Must be constructed with
/// the GIL.
class Presence {
public:
  Presence();
  ~Presence();
  Presence(const Presence &) = delete;
};

/// Scope of a compilation. Throws a LaunchError in a child process that was forked while another thread compiled.
class Compiling {
public:
  Compiling();
  ~Compiling();
  Compiling(const Compiling &) = delete;

private:
  Presence presence;
};

/// Scope in which the thread does not hold the GIL, so other Python threads can run.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil &) = delete;

private:
  Presence presence;
  PyThreadState *state;
};

/// Declares that the calling thread abandons a compilation, which continues in a worker thread (Interruptible.h).
/// Requires the GIL.
void leaveBehind();
/// Declares that an abandoned compilation has ended. Can be called with or without the GIL.
void noLongerLeftBehind();

/// True if another thread is ending the process.
bool isExiting();

/// True if a compilation is on the stack of the calling thread.
bool isCompiling();

/// Returns the number of forks between this process and the process that loaded the module.
unsigned forkGeneration();

} // namespace hocket::bindings

#endif
