//===- Interruptible.h - Interruptible waits for long work -------------------------===//
//
// LLVM cannot be stopped within a pass, and Python's signal handlers run in the main thread only. The main thread
// passes work to another thread, waits for the result, and checks for signals while waiting:
//
//   main thread    work ------> waits, runs Python's signal handlers --> result
//                   |                 `--> KeyboardInterrupt: the work is abandoned
//   worker          `---------> works --------------------------------> result, discarded if abandoned
//
// Abandoned work ends at its next step (support/Steps.h). Until that step, process exit and forks wait for the
// abandoned work as for any compilation (Presence.h). Work owns all data that it uses.
//
// Workers are reused, together with LLVM's thread-local data. Passing work to a worker takes about 10 us.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_INTERRUPTIBLE_H
#define HOCKET_BINDINGS_INTERRUPTIBLE_H

#include <chrono>
#include <functional>

namespace hocket::bindings {

/// Interval at which a waiting thread checks for signals, e.g. Ctrl-C. A waiting thread wakes up at once when the work
/// ends.
inline constexpr auto kSignalInterval = std::chrono::milliseconds(50);

/// Runs `work` without the GIL. If the calling thread is the main thread, runs `work` in another thread. Ctrl-C then
/// ends the wait and raises KeyboardInterrupt. `work` must not use Python, nor data that it does not own, because the
/// caller may return before `work` ends.
void runInterruptibly(std::function<void()> work);

/// Ends idle workers, so that the process forks or exits with as few threads as possible.
void endIdleWorkers();

} // namespace hocket::bindings

#endif
