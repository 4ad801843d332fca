//===- AsyncStores.h - Asynchronous stores to the shared memory of a block of the cluster ----------===//
//
// An asynchronous store writes up to 16 bytes of one lane to shared memory, and completes the same number of bytes on
// an mbarrier. LaunchOptions::completion determines when a store arrives: as soon as lanes wait at the mbarrier and no
// lane can run, at a random earlier time, or when the store is executed. Stores arrive in no particular order. Until a
// store has arrived, every access of its destination is a race.
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
  /// Starts a store of `words` by `lane` to `destination`. When the store arrives, it completes `words.size()` bytes on
  /// the mbarrier at `barrier`. `destination` and `barrier` are offsets in the shared memory of the cluster.
  void store(Lane &lane, std::span<const std::byte> words, uint64_t destination, uint64_t barrier, uint32_t site);
  /// Reports a fault if a store has not arrived. Must be called when all lanes have ended.
  void end();

private:
  static constexpr size_t kMostBytes = 16;
  struct Store {
    std::array<std::byte, kMostBytes> words = {};
    uint32_t bytes = 0, site = 0, thread = 0;
    uint64_t destination = 0, barrier = 0;
    Epoch epoch = 0;        ///< epoch of the warp (VectorClock.h) when the store started
    Released released = {}; ///< vector clocks that the lane released when the store started
    Clocks at = 0;          ///< virtual time of the arrival; 0 without a virtual clock
  };
  /// Returns the oldest store in flight that completes bytes on the mbarrier at `barrier`; stores.end() if there is no
  /// such store.
  std::vector<Store>::iterator firstTo(uint64_t barrier);
  /// Writes the words of the store at `position`, and completes its bytes on the mbarrier.
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
