//===- AsyncPrograms.h - Random programs with asynchronous copies, and runs of them -----------------===//
//
// An oracle for MinimizeWaits that shares no code with it. A *run* executes a function step by step, iteration by
// iteration, with random branches and trip counts. A run keeps groups in a queue, and represents slots of ring buffers
// by numbers. A run is unsafe if an operation accesses a tile while a copy into it is in flight, or if a copy is in
// flight at the end.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_ASYNCPROGRAMS_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_ASYNCPROGRAMS_H

#include "dialect/hk/ir/HkDialect.h"

#include <random>

namespace hocket {

struct AsyncProgramOptions {
  /// The program has commits and waits, perhaps too few and perhaps too many.
  bool isExplicit = false;
  /// The program has nested loops, and copies in loops that are used after the loops. The analysis cannot distinguish
  /// their slots.
  bool isDeep = false;
  /// Conditions of branches are equal, opposite or imply each other.
  bool isRelated = false;
};

/// The text of a function that copies into two tiles and a ring, and loads them.
std::string randomAsyncProgram(std::mt19937 &random, AsyncProgramOptions options);

/// Replaces the wait `op` in a run by a wait that leaves `outstanding` groups in flight, or by no wait if this is
/// nullopt.
struct OtherWait {
  mlir::Operation *op = nullptr;
  std::optional<unsigned> outstanding = {};
};

/// True if one of the `count` runs of `function` is unsafe.
bool isUnsafeInSomeRun(mlir::Block &function, int count, OtherWait other = {});

} // namespace hocket

#endif
