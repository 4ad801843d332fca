//===- AsyncPrograms.h - Random programs with asynchronous copies, and runs of them -----------------===//
//
// A judge of MinimizeWaits that shares no code with it. A *run* executes a function step by step, one iteration after
// the other, with branches and trip counts of its own choice. Groups stand in a queue, the slots of rings are numbers.
// It is unsafe if something touches a tile while a copy into it is in flight, or if a copy is in flight at the end.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_ASYNCPROGRAMS_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_ASYNCPROGRAMS_H

#include "dialect/hk/HkDialect.h"

#include <random>

namespace hocket {

struct AsyncProgramOptions {
  /// Commits and waits are written, perhaps too few and perhaps too many.
  bool isExplicit = false;
  /// Loops in loops, and what loops have copied used after them: slots that no analysis tells apart.
  bool isDeep = false;
  /// Branches are decided by conditions that are equal, opposite or imply each other.
  bool isRelated = false;
};

/// The text of a function that copies into two tiles and a ring, and loads them.
std::string randomAsyncProgram(std::mt19937 &random, AsyncProgramOptions options);

/// What a run takes for written in place of the wait `op`; nothing: no wait.
struct OtherWait {
  mlir::Operation *op = nullptr;
  std::optional<unsigned> outstanding = {};
};

/// Is one of the `count` runs of `function` unsafe?
bool isUnsafeInSomeRun(mlir::Block &function, int count, OtherWait other = {});

} // namespace hocket

#endif
