//===- BlockFaults.h - Collects the faults of the running block --------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_BLOCKFAULTS_H
#define HOCKET_EMULATOR_FAULTS_BLOCKFAULTS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"
#include "emulator/host/Program.h"

#include <optional>

namespace hocket::emulator {

/// Keeps the fault of the lowest thread, except that a race takes precedence over an undefined value. After a fault,
/// the lanes without a fault run until they wait, so the reported fault does not depend on the order of warps.
class BlockFaults {
public:
  BlockFaults(const Program &program, LaneRunner &lanes) : program(program), lanes(lanes) {}

  void begin() { lowest.reset(); }

  /// Reports `fault` and suspends `lane`, the running lane, forever. `fault` may be a fault of another lane.
  [[noreturn]] void fail(Lane &lane, BlockFault fault);
  [[noreturn]] void fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address);
  /// Reports the fault that `site` describes: an access of shared memory at the offset `detail`, a division or an
  /// assertion.
  [[noreturn]] void failAt(Lane &lane, uint32_t site, uint64_t detail);
  /// Reports `fault` and returns, because no lane runs or because the running lane continues.
  void report(BlockFault fault);
  /// Reports a deadlock: no lane can run.
  void reportDeadlock(BlockFault fault) { lowest = std::move(fault); }
  /// Must be called when the block with number `block` has ended.
  void end(uint64_t block);

  const std::optional<BlockFault> &first() const { return lowest; }

private:
  const Program &program;
  LaneRunner &lanes;
  std::optional<BlockFault> lowest;
};

} // namespace hocket::emulator

#endif
