//===- Failure.h - The failure that ends an emulated launch -----------------------------===//
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
  Undefined, ///< a use of an undefined value
  Index,     ///< an index that does not fit into 32 bits
  Deadlock,
  Coordinate,     ///< a bulk copy begins at a coordinate that TMA does not accept
  Descriptor,     ///< a kernel builds a descriptor that TMA does not accept, or overwrites one that copies use
  UnfinishedCopy, ///< a lane or block ends while an asynchronous operation still accesses shared memory
  Race,           ///< conflicting accesses that are not ordered
  Mbarrier,       ///< a misuse of an mbarrier
  BarrierAgain,   ///< a warp arrives at a barrier twice before it opens
  ClusterBarrier, ///< a thread arrives twice at the barrier of a cluster, or waits without arriving
  EndedBlock,     ///< an access of the shared memory of a block that may have ended
  NotUniform,     ///< lanes pass different values of an operand that must be uniform
  Interrupted,    ///< LaunchOptions::shouldStop returned true
};

/// The fault that a launch reports. If several blocks have faults, the launch reports the fault of the first block in
/// the order of blocks. If several threads of this block have faults, the launch reports the fault of the thread with
/// the lowest number.
struct Failure {
  FailureKind kind;
  /// The complete message, except for the source line.
  Diagnostic diagnostic;
  std::array<uint32_t, 3> block = {};
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;   ///< address of an access; an offset for shared memory
  std::string array = {}; ///< name of the argument accessed, "shared memory", or empty
  int64_t index = 0;      ///< index in elements of the array; may be negative
};

} // namespace hocket

#endif
