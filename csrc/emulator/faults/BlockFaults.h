//===- BlockFaults.h - What goes wrong in the block that runs ----------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_BLOCKFAULTS_H
#define HOCKET_EMULATOR_FAULTS_BLOCKFAULTS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"
#include "emulator/host/Program.h"

#include <optional>

namespace hocket::emulator {

/// Keeps the fault of the lowest thread, but a race rather than an undefined value. The other lanes go on until they
/// wait, so which one is reported does not depend on the order of warps.
class BlockFaults {
public:
  BlockFaults(const Program &program, LaneRunner &lanes) : program(program), lanes(lanes) {}

  void begin() { lowest.reset(); }

  /// `lane`, the one that runs, does not go on. The fault may be another lane's.
  [[noreturn]] void fail(Lane &lane, BlockFault fault);
  [[noreturn]] void fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address);
  /// The fault that `site` stands for: an access of shared memory at the offset `detail`, a division, an assertion.
  [[noreturn]] void failAt(Lane &lane, uint32_t site, uint64_t detail);
  /// As `fail`, where no lane runs, or the one that runs goes on.
  void report(BlockFault fault);
  /// No lane can go on.
  void reportDeadlock(BlockFault fault) { lowest = std::move(fault); }
  /// The block with this number has ended.
  void end(uint64_t block);

  const std::optional<BlockFault> &first() const { return lowest; }

private:
  const Program &program;
  LaneRunner &lanes;
  std::optional<BlockFault> lowest;
};

} // namespace hocket::emulator

#endif
