//===- AsyncStores.h - Stores on their way to the shared memory of a block of the cluster ----------===//
//
// A lane's words arrive, with bytes for an mbarrier of the block that they go to, when lanes wait there and nothing
// else can go on, at a random moment before, or at once, as Completion says. They arrive in no order. Until then
// whoever accesses that memory is in conflict with the store.
//
// PTX ISA 9.0, "st.async".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_ASYNCSTORES_H
#define HOCKET_EMULATOR_BLOCK_ASYNCSTORES_H

#include "emulator/block/LaneRunner.h"
#include "emulator/block/Mbarriers.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/faults/BlockFaults.h"

#include <array>
#include <random>
#include <span>
#include <vector>

namespace hocket::emulator {

class AsyncStores {
public:
  AsyncStores(const EmulatedLaunch &launch, BlockFaults &faults, SharedMemory &shared, Mbarriers &mbarriers,
              BlockTiming &timing);

  void begin(uint64_t block);
  /// `lane` stores `words` at `destination`, and completes as many bytes of the mbarrier at `barrier`: offsets in the
  /// shared memory of the cluster.
  void store(Lane &lane, std::span<const std::byte> words, uint64_t destination, uint64_t barrier, uint32_t site);
  /// All lanes have come to their end.
  void end();

private:
  static constexpr size_t kMostBytes = 16;
  struct Store {
    std::array<std::byte, kMostBytes> words = {};
    uint32_t bytes = 0, site = 0, thread = 0;
    uint64_t destination = 0, barrier = 0;
    Epoch epoch = 0;        ///< of its warp, when it started
    Released released = {}; ///< by its lane, until then
    Clocks at = 0;          ///< when it arrives, in a block that is recorded
  };
  /// The first store on its way to the mbarrier at `barrier`; the end if there is none.
  std::vector<Store>::iterator firstTo(uint64_t barrier);
  /// That of the position arrives.
  void arrive(std::vector<Store>::iterator position);

  const EmulatedLaunch &launch;
  BlockFaults &faults;
  SharedMemory &shared;
  Mbarriers &mbarriers;
  BlockTiming &timing;
  std::vector<Store> stores;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
