//===- Interruptible.h - Interruptible waits for long work -------------------------===//
//
// A compilation should be interruptible by Ctrl-C. LLVM cannot be stopped within a pass, and Python's signal handlers
// run in the main thread only. The main thread therefore passes the work to a worker thread, waits for the result, and
// checks for signals while waiting:
//
//   main thread    work ------> waits, runs Python's signal handlers --> result
//                   |                 `--> KeyboardInterrupt: the work is abandoned
//   worker          `---------> works --------------------------------> result, discarded if abandoned
//
// An abandoned compilation ends at its next step, e.g. before the next pass (support/Steps.h). Until its end, process
// exit and forks wait for the abandoned compilation as for any other compilation (Presence.h). The work must own all
// data that it uses.
//
// Worker threads are reused, so LLVM's thread-local data are reused, too. Passing work to a worker takes about 10 us.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_INTERRUPTIBLE_H
#define HOCKET_BINDINGS_INTERRUPTIBLE_H

#include <chrono>
#include <functional>

namespace hocket::bindings {

/// Interval at which a waiting thread checks for signals, such as Ctrl-C. A waiting thread wakes up at once when the
/// work ends.
inline constexpr auto kSignalInterval = std::chrono::milliseconds(50);

/// Runs `work` without the GIL. If the calling thread is the main thread, runs `work` in another thread. Ctrl-C then
/// ends the wait and raises KeyboardInterrupt. `work` must not use Python. `work` must own all data that it uses,
/// because after Ctrl-C the caller returns before `work` ends.
void runInterruptibly(std::function<void()> work);

/// Ends the idle worker threads. Called before the process forks or exits.
void endIdleWorkers();

} // namespace hocket::bindings

#endif
