//===- WarpgroupProducts.h - Products by warpgroups that have not been waited for --------------===//
//
// Each warp of a warpgroup computes its 16 rows of a product (wgmma) on its own, at any time between the instruction
// and the wait for its group. Until then its operands in shared memory are being read, and nobody may use the result.
// When the emulator computes it is up to Completion: as late as possible unless asked otherwise, so that operands which
// were overwritten too early, or descriptors that are wrong, give wrong numbers.
//
// In the meantime a *ticket* stands for each register of the result: a word that is NaN as one f32 and as two f16, and
// names the product and the register. Tickets go wherever registers go, around loops and through branches. Who brings
// them to another product adds to the result that they stand for; a wait exchanges those of finished products for it.
// Any other use gives NaN.
//
// Accumulators that are integers could look like tickets by accident: near 2^31, of a product that is in flight, in
// just this register. That is taken to be impossible.
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_WARPGROUPPRODUCTS_H
#define HOCKET_EMULATOR_BLOCK_WARPGROUPPRODUCTS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/faults/BlockFaults.h"

#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace hocket::emulator {

/// One warp's part of a product.
struct WarpProduct;

class WarpgroupProducts {
public:
  WarpgroupProducts(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SharedMemory &shared);
  ~WarpgroupProducts();

  void begin(uint64_t block);
  /// What a lane brings to a product.
  struct Part {
    uint32_t *operands = nullptr; ///< accumulators, then words of a; the former become tickets
    uint32_t *shadows = nullptr;  ///< of these (Shadows.h), where they are tracked
    uint64_t a = 0, b = 0;        ///< descriptors
    bool useAcc = true;
  };
  void multiply(Lane &lane, const host_abi::WarpgroupProduct &product, const Part &part, uint32_t site);
  void commit(Lane &lane, uint32_t site);
  /// Waits for all groups but the newest `outstanding`; of the `count` operands, accumulators, exchanges tickets.
  void wait(Lane &lane, const Part &part, uint32_t count, uint32_t outstanding, uint32_t site);
  /// All lanes have ended: a product that only some warps of a warpgroup have started.
  std::optional<BlockFault> findParted() const;

private:
  using ProductRef = std::shared_ptr<WarpProduct>;

  /// What one warp has started.
  struct Queue {
    std::deque<ProductRef> inFlight;  ///< in order
    std::vector<ProductRef> byTicket; ///< those whose tickets may still be somewhere
    std::deque<uint32_t> exchanged;   ///< numbers of those whose tickets were brought somewhere, oldest first
    uint64_t openGroup = 0;           ///< number of groups committed
    uint32_t nextTicket = 0;
    std::minstd_rand random;
  };
  /// What the warps of one warpgroup have started: all must start the same.
  struct Sequence {
    struct Entry {
      uint32_t site;
      uint64_t a, b;
      bool useAcc;
      bool operator==(const Entry &) const = default;
    };
    std::deque<Entry> entries; ///< that not all of them have started
    uint64_t first = 0;        ///< the number of the first of these
    std::vector<uint64_t> started;
  };

  void checkUniform(Lane &leader, uint32_t site);
  void checkSequence(Lane &leader, uint32_t site);
  ProductRef makeProduct(Lane &leader, const host_abi::WarpgroupProduct &product, uint32_t site);
  void giveTickets(Queue &queue, Lane &leader, const ProductRef &product);
  /// The product whose tickets these words of a lane are; null if they are none.
  ProductRef findByTickets(const Queue &queue, const uint32_t *words, size_t count) const;
  void exchange(Queue &queue, unsigned lane, const Part &part, uint32_t count);
  void noteExchanged(Queue &queue, uint32_t number);
  void compute(WarpProduct &product) const;
  /// Lets some time pass.
  void step(Queue &queue) const;

  /// Of each block of a cluster.
  uint32_t groupsOfCta() const;
  Part &partOf(uint32_t warp, unsigned lane) { return parts[size_t(warp) * lanes.warpSize + lane]; }

  const Program &program;
  const uint64_t seed;
  const Completion completion;
  LaneRunner &lanes;
  BlockFaults &faults;
  SharedMemory &shared;
  SharedRaces &races;
  std::vector<Queue> queues; ///< by warp; empty if the kernel has no products of warpgroups
  std::vector<Sequence> sequences;
  std::vector<Part> parts; ///< by thread
};

} // namespace hocket::emulator

#endif
