//===- Interruptible.h - Interruptible waits for long work -------------------------===//
//
// LLVM cannot be stopped within a pass, and Python's signal handlers run in the main thread only. So the main thread
// passes work to another thread and waits for it, checking for signals:
//
//   main thread    work ------> waits, runs Python's signal handlers --> result
//                   |                 `--> KeyboardInterrupt: the work is abandoned
//   worker          `---------> works --------------------------------> result, discarded if abandoned
//
// Abandoned work ends at its next step (support/Steps.h). Until that step it counts as present: process exit and forks
// wait for it as for any compilation (Presence.h). It owns all data that it uses.
//
// Workers are reused, together with LLVM's thread-local data. Passing work to a worker takes about 10 us.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_INTERRUPTIBLE_H
#define HOCKET_BINDINGS_INTERRUPTIBLE_H

#include <functional>

namespace hocket::bindings {

/// Runs `work` without the GIL; in another thread if this is the main one, where Ctrl-C then ends the wait and raises.
/// `work` must not use Python or data that it does not own, because the caller may have returned.
void runInterruptibly(std::function<void()> work);

/// Ends idle workers, so that the process forks or exits with as few threads as possible.
void endIdleWorkers();

} // namespace hocket::bindings

#endif
