//===- OutstandingWgmmas.h - Outstanding wgmmas of warpgroups ----------------------------------===//
//
// Each warp of a warpgroup computes its 16 rows of a wgmma independently, at any time between the instruction and the
// wait for its group. Before the wait its operands in shared memory are being read, and the result must not be used.
// Completion determines when the emulator computes: as late as possible by default, so that operands that are
// overwritten too early and wrong descriptors give wrong numbers.
//
// In the meantime each register of the result holds a *ticket*: a word that is NaN as one f32 and as two f16, and that
// identifies the wgmma and the register. Tickets are copied wherever registers are, around loops and through branches.
// A wgmma whose accumulator input is a ticket adds to the result that the ticket represents; a wait replaces the
// tickets of completed wgmmas by results. Any other use yields NaN.
//
// Integer accumulators could be mistaken for tickets: values near 2^31 that match a wgmma in flight in exactly this
// register. The emulator assumes that this does not happen.
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_OUTSTANDINGWGMMAS_H
#define HOCKET_EMULATOR_BLOCK_OUTSTANDINGWGMMAS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/faults/BlockFaults.h"

#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace hocket::emulator {

/// One warp's part of a wgmma.
struct WarpWgmma;

class OutstandingWgmmas {
public:
  OutstandingWgmmas(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SharedMemory &shared);
  ~OutstandingWgmmas();

  void begin(uint64_t block);
  /// The operands that a lane brings to a wgmma.
  struct Part {
    uint32_t *operands = nullptr; ///< shadows of the operands (Shadows.h), where they are tracked
    uint32_t *shadows = nullptr;  ///< of these (Shadows.h), where they are tracked
    uint64_t a = 0, b = 0;        ///< descriptors
    bool useAcc = true;
  };
  void multiply(Lane &lane, const host_abi::WarpgroupMma &wgmma, const Part &part, uint32_t site);
  void commit(Lane &lane, uint32_t site);
  /// Waits for all groups except the newest `outstanding`; replaces tickets in the first `count` operands,
  /// accumulators.
  void wait(Lane &lane, const Part &part, uint32_t count, uint32_t outstanding, uint32_t site);
  /// Called when all lanes have ended: finds a wgmma that only some warps of a warpgroup have started.
  std::optional<BlockFault> findParted() const;

private:
  using WgmmaRef = std::shared_ptr<WarpWgmma>;

  /// The wgmmas that one warp has started.
  struct Queue {
    std::deque<WgmmaRef> inFlight;  ///< in start order
    std::vector<WgmmaRef> byTicket; ///< wgmmas whose tickets may still be in registers
    std::deque<uint32_t> exchanged; ///< numbers of wgmmas some of whose tickets were exchanged, latest last
    uint64_t openGroup = 0;         ///< number of groups committed
    uint32_t nextTicket = 0;
    std::minstd_rand random;
  };
  /// The wgmmas that the warps of one warpgroup have started: all must start the same.
  struct Sequence {
    struct Entry {
      uint32_t site;
      uint64_t a, b;
      bool useAcc;
      bool operator==(const Entry &) const = default;
    };
    std::deque<Entry> entries; ///< wgmmas that not all warps have started
    uint64_t first = 0;        ///< number of the first entry
    std::vector<uint64_t> started;
  };

  void checkUniform(Lane &leader, uint32_t site);
  void checkSequence(Lane &leader, uint32_t site);
  WgmmaRef makeWgmma(Lane &leader, const host_abi::WarpgroupMma &wgmma, uint32_t site);
  void giveTickets(Queue &queue, Lane &leader, const WgmmaRef &wgmma);
  /// Makes tickets among the accumulators that the lanes bring summands of `wgmma`; other words are its sums.
  void takeAccumulators(Queue &queue, uint32_t warp, WarpWgmma &wgmma);
  void exchange(Queue &queue, unsigned lane, const Part &part, uint32_t count);
  void noteExchanged(Queue &queue, uint32_t number);
  void compute(WarpWgmma &wgmma) const;
  /// Advances time by one step.
  void step(Queue &queue) const;

  /// Number of warpgroups in each block of a cluster.
  uint32_t groupsOfCta() const;
  Part &partOf(uint32_t warp, unsigned lane) { return parts[size_t(warp) * lanes.warpSize + lane]; }

  const Program &program;
  const uint64_t seed;
  const Completion completion;
  LaneRunner &lanes;
  BlockFaults &faults;
  SharedMemory &shared;
  SharedRaces &races;
  std::vector<Queue> queues; ///< by warp; empty if the kernel has no wgmma
  std::vector<Sequence> sequences;
  std::vector<Part> parts; ///< indexed by thread
};

} // namespace hocket::emulator

#endif
