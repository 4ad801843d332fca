//===- SharedMemory.h - The shared memory of a block, and who watches its accesses -------------===//
#ifndef HOCKET_EMULATOR_BLOCK_SHAREDMEMORY_H
#define HOCKET_EMULATOR_BLOCK_SHAREDMEMORY_H

#include "emulator/block/SpinWatch.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/launch/EmulatedLaunch.h"
#include "emulator/machine/BankCounter.h"
#include "emulator/races/SharedRaces.h"

#include <optional>
#include <vector>

namespace hocket::emulator {

class SharedMemory {
public:
  SharedMemory(const EmulatedLaunch &launch, BlockFaults &faults, SpinWatch &spins);

  std::byte *bytes() const { return aligned; }
  /// Whether emulated code must tell of its accesses.
  bool isWatched() const { return banks || sharedRaces.areWatched(); }

  SharedRaces &races() { return sharedRaces; }

  void begin();
  /// `stored`: what a store will write, or null.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site);
  /// The same for accesses in a row. `violated`: one of them may not be made.
  void accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored,
                 bool violated) {
    if (violated || banks || spins.isOn()) [[unlikely]]
      return accessEach(lane, row, offsets, stored);
    sharedRaces.accessRow(lane, row, offsets, stored);
  }
  /// A copy writes these bytes. `shadow`: of what it copies, null where that is defined.
  void define(uint64_t offset, uint32_t bytes, const std::byte *shadow);
  void end(BankTotals &totals);

private:
  void accessEach(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored);

  const Program &program;
  BlockFaults &faults;
  const size_t size;
  const size_t shadowOffset;
  const bool hasShadow; ///< of bits that nothing has written (Shadows.h)
  std::vector<std::byte> storage;
  std::byte *const aligned;         ///< in `storage`
  std::optional<BankCounter> banks; ///< where conflicts are counted
  SharedRaces sharedRaces;
  SpinWatch &spins;
};

} // namespace hocket::emulator

#endif
