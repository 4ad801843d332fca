//===- Steps.h - Compilation steps and cancellation ---------------------------------===//
//
// A compilation runs in its own thread. If the caller no longer waits for a compilation, the compilation is abandoned:
// it ends at its next check for abandonment. A compilation checks for abandonment between its steps and, within LLVM,
// between passes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_STEPS_H
#define HOCKET_SUPPORT_STEPS_H

#include <atomic>
#include <string>
#include <string_view>

namespace hocket {

/// Exception that ends an abandoned compilation.
struct Abandoned {};

/// Scope in which the calling thread's compilation is abandoned if `abandoned` becomes true.
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

/// Marks the beginning of the compilation step `name`. Throws Abandoned if this thread's compilation has been
/// abandoned.
void beginStep(std::string_view name);

/// For tests: blocks the next compilation that begins the compilation step `step`, until holdAt is called with another
/// step. If `step` is "", `holdAt` blocks no compilation.
void holdAt(std::string step);
/// True if a compilation has been blocked since the last call of `holdAt`.
bool isHeld();

} // namespace hocket

#endif
