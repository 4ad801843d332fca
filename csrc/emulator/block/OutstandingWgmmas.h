//===- OutstandingWgmmas.h - Outstanding wgmmas of warpgroups ----------------------------------===//
//
// Each warp of a warpgroup computes its 16 rows of a wgmma independently, at any time between the instruction and the
// wait for its commit group. Before the wait, the hardware may read the operands in shared memory, and the program must
// not use the result. LaunchOptions::completion determines when the emulator computes the result. By default, the
// emulator computes as late as possible, so that an operand that is overwritten too early gives wrong numbers.
//
// Until the wait, each register of the result holds a *ticket*: a word that is NaN as one f32 and as two f16, and that
// identifies the wgmma and the register. The program copies tickets like any register value, around loops and through
// branches. A wgmma whose accumulator input is a ticket adds to the result that the ticket represents. A wait replaces
// the tickets of completed wgmmas by results. Any other use of a ticket yields NaN.
//
// An integer accumulator would be mistaken for a ticket if its bits matched a ticket of a known wgmma. The emulator
// assumes that no integer accumulator has such a value.
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

/// The part of a wgmma that one warp computes.
struct WarpWgmma;

class OutstandingWgmmas {
public:
  OutstandingWgmmas(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SharedMemory &shared);
  ~OutstandingWgmmas();

  void begin(uint64_t block);
  /// The operands that a lane passes to a wgmma.
  struct Part {
    uint32_t *operands = nullptr; ///< accumulators, then words of A if A is in registers
    uint32_t *shadows = nullptr;  ///< shadows of the operands (Shadows.h); null if undefined values are not tracked
    uint64_t a = 0, b = 0;        ///< descriptors
    bool useAcc = true;
  };
  void multiply(Lane &lane, const host_abi::WarpgroupMma &wgmma, const Part &part, uint32_t site);
  void commit(Lane &lane, uint32_t site);
  /// Waits for all commit groups except the newest `outstanding`. Replaces tickets of completed wgmmas in the first
  /// `count` operands, which are accumulators.
  void wait(Lane &lane, const Part &part, uint32_t count, uint32_t outstanding, uint32_t site);
  /// Returns a fault if only some warps of a warpgroup have started a wgmma. Must be called when all lanes have ended.
  std::optional<BlockFault> findParted() const;

private:
  using WgmmaRef = std::shared_ptr<WarpWgmma>;

  /// The wgmmas that one warp has started.
  struct Queue {
    std::deque<WgmmaRef> inFlight;  ///< wgmmas in flight, in the order of their start
    std::vector<WgmmaRef> byTicket; ///< wgmmas whose tickets may still be in registers, indexed by ticket number
    std::deque<uint32_t> exchanged; ///< ticket numbers of wgmmas whose tickets were replaced, latest last
    uint64_t openGroup = 0;         ///< number of commit groups that the warp has committed
    uint32_t nextTicket = 0;
    std::minstd_rand random;
  };
  /// The wgmmas that the warps of one warpgroup have started. All warps of the warpgroup must start the same wgmmas.
  struct Sequence {
    struct Entry {
      uint32_t site;
      uint64_t a, b;
      bool useAcc;
      bool operator==(const Entry &) const = default;
    };
    std::deque<Entry> entries; ///< wgmmas that some warps have not started yet
    uint64_t first = 0;        ///< sequence number of the first element of `entries`
    std::vector<uint64_t> started;
  };

  void checkUniform(Lane &leader, uint32_t site);
  void checkSequence(Lane &leader, uint32_t site);
  WgmmaRef makeWgmma(Lane &leader, const host_abi::WarpgroupMma &wgmma, uint32_t site);
  void giveTickets(Queue &queue, Lane &leader, const WgmmaRef &wgmma);
  /// Reads the accumulators that the lanes pass. A ticket becomes an element of `wgmma.summands`, and any other word
  /// becomes an element of `wgmma.sums`.
  void takeAccumulators(Queue &queue, uint32_t warp, WarpWgmma &wgmma);
  void exchange(Queue &queue, unsigned lane, const Part &part, uint32_t count);
  void noteExchanged(Queue &queue, uint32_t number);
  void compute(WarpWgmma &wgmma) const;
  /// Called at each wgmma, commit and wait. With Completion::Random, decides at random whether to compute the oldest
  /// wgmma that has not been computed.
  void step(Queue &queue) const;

  /// Returns the number of warpgroups in each block of a cluster.
  uint32_t groupsOfCta() const;
  Part &partOf(uint32_t warp, unsigned lane) { return parts[size_t(warp) * lanes.warpSize + lane]; }

  const Program &program;
  const uint64_t seed;
  const Completion completion;
  LaneRunner &lanes;
  BlockFaults &faults;
  SharedMemory &shared;
  SharedRaces &races;
  std::vector<Queue> queues; ///< the wgmmas of each warp, indexed by warp; empty if the kernel has no wgmma
  std::vector<Sequence> sequences;
  std::vector<Part> parts; ///< the operands of each thread, indexed by thread
};

} // namespace hocket::emulator

#endif
