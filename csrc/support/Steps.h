//===- Steps.h - Compilation steps and cancellation ---------------------------------===//
//
// A compilation runs in its own thread. A compilation for which the caller no longer waits is abandoned: it ends at the
// next check. Checks take place between the steps of the compilation and, within LLVM, between passes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_STEPS_H
#define HOCKET_SUPPORT_STEPS_H

#include <atomic>
#include <string>
#include <string_view>

namespace hocket {

/// Thrown in an abandoned compilation to end it.
struct Abandoned {};

/// Scope in which this thread's compilation ends as soon as `abandoned` becomes true.
class EndsWhen {
public:
  explicit EndsWhen(const std::atomic<bool> &abandoned);
  ~EndsWhen();
  EndsWhen(const EndsWhen &) = delete;

private:
  const std::atomic<bool> *before;
};

/// True if this thread's compilation has been abandoned.
bool isAbandoned();

/// Marks the beginning of a step. Throws Abandoned if the compilation has been abandoned.
void beginStep(std::string_view name);

/// For tests: blocks the next compilation that begins the step `step`, until holdAt is called again. If `step` is "",
/// no compilation is blocked.
void holdAt(std::string step);
/// True if a compilation is blocked, or has been blocked, at the step of the last `holdAt`.
bool isHeld();

} // namespace hocket

#endif
