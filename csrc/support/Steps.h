//===- Steps.h - The steps of a compilation, and who may end it ---------------------===//
//
// A compilation whose caller is gone goes on in its own thread until it looks here: between its steps, and in LLVM
// between passes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_STEPS_H
#define HOCKET_SUPPORT_STEPS_H

#include <atomic>
#include <string>
#include <string_view>

namespace hocket {

/// Thrown in a compilation that nobody waits for any more.
struct Abandoned {};

/// While it lives, this thread's compilation ends when `abandoned` becomes true.
class EndsWhen {
public:
  explicit EndsWhen(const std::atomic<bool> &abandoned);
  ~EndsWhen();
  EndsWhen(const EndsWhen &) = delete;

private:
  const std::atomic<bool> *before;
};

/// Whether nobody waits for this thread's compilation any more.
bool isAbandoned();

/// Stands at the beginning of a step. Throws Abandoned.
void beginStep(std::string_view name);

/// For tests: the next compilation that comes to this step stays at its beginning, as if the step took for ever, until
/// this is called again, with "" for no step.
void holdAt(std::string step);
/// Whether a compilation has come to the step of the last `holdAt`.
bool isHeld();

} // namespace hocket

#endif
