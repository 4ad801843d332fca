//===- BlockFaults.h - Collects the faults of the running block --------------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_BLOCKFAULTS_H
#define HOCKET_EMULATOR_FAULTS_BLOCKFAULTS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"
#include "emulator/host/Program.h"

#include <optional>

namespace hocket::emulator {

/// Keeps the fault of the thread with the lowest number, except that a race takes precedence over a use of an undefined
/// value. After a fault, the lanes without a fault run until they wait, so that the reported fault does not depend on
/// the order of warps.
class BlockFaults {
public:
  BlockFaults(const Program &program, LaneRunner &lanes) : program(program), lanes(lanes) {}

  void begin() { lowest.reset(); }

  /// Reports `fault` and suspends `lane`, the running lane, forever. `fault` may be a fault of another lane.
  [[noreturn]] void fail(Lane &lane, BlockFault fault);
  [[noreturn]] void fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address);
  /// Reports a fault at `site`. The kind of the site determines the kind of the fault. `detail`: the offset of an
  /// access of shared memory, or the value of an index.
  [[noreturn]] void failAt(Lane &lane, uint32_t site, uint64_t detail);
  /// Reports `fault` and returns. Must be called if no lane runs, or if the running lane continues.
  void report(BlockFault fault);
  /// Reports a deadlock or an endless loop, which replaces other faults.
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
