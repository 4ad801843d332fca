//===- BankCounter.h - Counts bank conflicts from the addresses that lanes use ---------------===//
//
// Lanes run one after the other here, on the hardware all at once: the k-th access of a lane at a site belongs to the
// k-th of every other lane of its warp. An access is counted when the last lane has come to it, or with the lanes that
// came when the block ends. Where lanes part (a loop of which some do fewer turns) the k-th accesses need not be those
// that the hardware would make together; kernels of this language part nowhere else.
//
// The phases are those of target/SharedPhases.cpp. The counting is written for this and for itself: it is what the
// static count of layout/BankConflicts.h is tested against.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_BANKCOUNTER_H
#define HOCKET_EMULATOR_MACHINE_BANKCOUNTER_H

#include "emulator/Emulator.h"
#include "emulator/host/Program.h"

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace hocket::emulator {

/// What one site's accesses took, in wavefronts; see layout/SharedBanks.h.
struct BankTally {
  uint64_t accesses = 0; ///< instructions of warps
  uint64_t actual = 0;
  uint64_t ideal = 0;

  BankTally &operator+=(const BankTally &other) {
    accesses += other.accesses;
    actual += other.actual;
    ideal += other.ideal;
    return *this;
  }
};

/// Of all blocks of a launch, by site.
class BankTotals {
public:
  void add(const std::vector<BankTally> &ofBlock);
  /// Sites that were accessed. For when all blocks have ended.
  std::vector<BankCount> read(const Program &program) const;

private:
  std::mutex mutex;
  std::vector<BankTally> tallies;
};

/// Of one block at a time.
class BankCounter {
public:
  explicit BankCounter(const Program &program);

  /// `lane` of `warp` accesses shared memory at `offset`.
  void access(uint32_t warp, uint32_t lane, uint32_t site, uint64_t offset);
  /// Counts what is left, adds all to `totals`, and begins anew.
  void endBlock(BankTotals &totals);

private:
  static constexpr unsigned kMaxLanes = 64;

  /// An access that some lanes have come to.
  struct Group {
    uint64_t lanes = 0;
    std::array<uint64_t, kMaxLanes> offsets;
  };
  /// The accesses of one warp at one site.
  struct Stream {
    std::deque<Group> groups;
    uint64_t begin = 0;                        ///< number of the first group
    std::array<uint64_t, kMaxLanes> done = {}; ///< accesses that each lane has made
  };
  /// How a site is served.
  struct Service {
    uint32_t banks = 0;
    std::array<uint8_t, kMaxLanes> phaseOf = {};
  };

  Service serviceOf(const Site &site) const;
  void count(const Group &group, uint32_t site);

  const Program &program;
  const uint64_t wholeWarp;
  std::vector<Service> services; ///< by site
  std::vector<Stream> streams;   ///< by site, then warp
  std::vector<BankTally> tallies;
  std::vector<uint64_t> words; ///< of `count`
};

} // namespace hocket::emulator

#endif
