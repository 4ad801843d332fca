//===- Steps.h - Compilation steps and cancellation ---------------------------------===//
//
// A compilation whose caller has given up continues in its own thread until it checks for abandonment: between its
// steps, and in LLVM between passes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_STEPS_H
#define HOCKET_SUPPORT_STEPS_H

#include <atomic>
#include <string>
#include <string_view>

namespace hocket {

/// Thrown in an abandoned compilation, whose result has no reader left.
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

/// For tests: blocks the next compilation that reaches `step` at the beginning of that step, until holdAt is called
/// again; "" blocks at no step.
void holdAt(std::string step);
/// True if a compilation is blocked, or was, at the step of the last `holdAt`.
bool isHeld();

} // namespace hocket

#endif
