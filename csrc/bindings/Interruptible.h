//===- Interruptible.h - Ctrl-C ends the wait for long work ------------------------===//
//
// LLVM cannot be stopped within a pass, and Python's signal handlers run in the main thread only. So the main thread
// hands work to another one and waits for it, looking for signals:
//
//   main thread    work ------> waits, asks Python for signals ------> result
//                   |                 `--> KeyboardInterrupt: the work is abandoned
//   worker          `---------> works ------------------------------> result, or nobody wants it
//
// What is abandoned ends at its next step (support/Steps.h). Until then it counts as present: the end of the process
// and forks wait for it as for any compilation (Presence.h). It owns all it touches.
//
// Workers are kept, and with them what LLVM keeps for each thread. Handing work over takes about 10 us.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_INTERRUPTIBLE_H
#define HOCKET_BINDINGS_INTERRUPTIBLE_H

#include <functional>

namespace hocket::bindings {

/// Runs `work` without the GIL; in another thread if this is the main one, where Ctrl-C then ends the wait and raises.
/// `work` must not touch Python, nor anything that does not belong to it: the caller may be gone.
void runInterruptibly(std::function<void()> work);

/// Ends the threads that wait for work: a process is forked or ends with as few threads as can be.
void endIdleWorkers();

} // namespace hocket::bindings

#endif
