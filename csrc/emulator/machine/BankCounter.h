//===- BankCounter.h - Counts bank conflicts from the addresses that lanes use ---------------===//
//
// The emulator runs the lanes of a warp one after the other; the hardware executes an access for all lanes at once. The
// counter therefore combines the k-th access of a lane at a site with the k-th accesses of the other lanes of its warp.
// A combined access is counted when all lanes of the warp have made their accesses. At the end of the block, accesses
// that only some lanes have made are counted, too. If lanes diverge in a loop because some lanes run fewer iterations,
// the hardware may combine the k-th access of one lane with a later or earlier access of another lane. Divergence in
// loops is the only divergence of Hocket's kernels.
//
// Shared memory serves the lanes of an access in several phases, which target/SharedPhases.cpp defines. The counter
// shares no code with the static count of layout/BankConflicts.h, because tests compare the two.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_BANKCOUNTER_H
#define HOCKET_EMULATOR_MACHINE_BANKCOUNTER_H

#include "emulator/Emulator.h"
#include "emulator/host/Program.h"
#include "emulator/machine/CrossLane.h"

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace hocket::emulator {

/// Totals of the accesses at one site, in wavefronts (layout/SharedBanks.h).
struct BankTally {
  uint64_t accesses = 0; ///< number of warp instructions
  uint64_t actual = 0;
  uint64_t ideal = 0;

  BankTally &operator+=(const BankTally &other) {
    accesses += other.accesses;
    actual += other.actual;
    ideal += other.ideal;
    return *this;
  }
};

/// Totals of the accesses of all blocks of a launch, by site.
class BankTotals {
public:
  void add(const std::vector<BankTally> &ofBlock);
  /// Returns the counts of the sites that were accessed. Must be called after all blocks have ended.
  std::vector<BankCount> read(const Program &program) const;

private:
  std::mutex mutex;
  std::vector<BankTally> tallies;
};

/// Counts the bank conflicts of one block at a time.
class BankCounter {
public:
  explicit BankCounter(const Program &program);

  /// Records that `lane` of `warp` accesses shared memory at `offset`.
  void access(uint32_t warp, uint32_t lane, uint32_t site, uint64_t offset);
  /// Counts incomplete accesses, adds all counts to `totals`, and resets the counter.
  void endBlock(BankTotals &totals);

private:
  /// A combined access: the lanes that have made it so far, and their offsets.
  struct Group {
    uint64_t lanes = 0;
    std::array<uint64_t, kMaxWarpSize> offsets;
  };
  /// The accesses of one warp at one site.
  struct Stream {
    std::deque<Group> groups;
    uint64_t begin = 0;                           ///< number of earlier combined accesses, already counted
    std::array<uint64_t, kMaxWarpSize> done = {}; ///< number of accesses that each lane has made
  };
  /// The number of banks, and the phase of each lane, for the access instruction at a site.
  struct Service {
    uint32_t banks = 0;
    std::array<uint8_t, kMaxWarpSize> phaseOf = {};
  };

  Service serviceOf(const Site &site) const;
  void count(const Group &group, uint32_t site);

  const Program &program;
  const uint64_t wholeWarp;
  std::vector<Service> services; ///< indexed by site
  std::vector<Stream> streams;   ///< indexed by site * numWarps + warp
  std::vector<BankTally> tallies;
  std::vector<uint64_t> words; ///< temporary storage of the function `count`
};

} // namespace hocket::emulator

#endif
