//===- Failure.h - What went wrong in an emulated kernel --------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_FAILURE_H
#define HOCKET_EMULATOR_FAULTS_FAILURE_H

#include "support/CompileError.h"

#include <array>
#include <cstdint>
#include <string>

namespace hocket {

enum class FailureKind : uint8_t {
  OutOfBounds,
  Misaligned,
  ReadOnly,
  DivisionByZero,
  Assertion,
  Undefined, ///< the use of an undefined value
  Index,     ///< an index that 32 bits do not hold
  Deadlock,
  Coordinate,     ///< a bulk copy begins where TMA cannot begin
  Descriptor,     ///< a kernel makes a descriptor of what TMA cannot move, or while copies use the one before
  UnfinishedCopy, ///< a lane ends before a bulk store has read shared memory
  Race,           ///< accesses of the same memory that nothing orders
  Mbarrier,       ///< a mistake with an mbarrier
  ClusterBarrier, ///< a thread arrives twice at the barrier of a cluster, or waits without
  EndedBlock,     ///< an access of the shared memory of a block that may have ended
  NotUniform,     ///< lanes disagree where they must not
  Interrupted,    ///< the launch was asked to stop
};

/// The first thing that went wrong in a launch: of the lowest block, and there of the lowest thread.
struct Failure {
  FailureKind kind;
  /// Everything the user reads, without the source line.
  Diagnostic diagnostic;
  std::array<uint32_t, 3> block = {};
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;   ///< of an access; an offset for shared memory
  std::string array = {}; ///< name of the argument accessed, "shared memory", or empty
  int64_t index = 0;      ///< in elements of the array; may be negative
};

} // namespace hocket

#endif
