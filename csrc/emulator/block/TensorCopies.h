//===- TensorCopies.h - TMA copies of boxes of tensors -----------------------------------------===//
//
// One lane starts a bulk store; its stores since the last commit form a group. Until a wait has covered the group,
// shared memory is being read: the emulator reads it as late as that, at a random moment, or at once, depending on
// Completion, and any earlier write to it conflicts with the store. The data are written to global memory when a wait
// covers the writes too, or when the block ends.
//
// If a lane ends before its stores have been read, the data may be lost: another block can receive the shared memory.
//
// A bulk load completes bytes on an mbarrier. The emulator performs its writes of shared memory at one of three times,
// depending on Completion: when lanes wait at the mbarrier and no lane can run, at a random earlier time, or at once.
// Before the writes, every access of that memory races with the copy.
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: Asynchronous copy, bulk".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_TENSORCOPIES_H
#define HOCKET_EMULATOR_BLOCK_TENSORCOPIES_H

#include "emulator/block/GlobalMemory.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/Mbarriers.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/machine/TensorBoxes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace hocket::emulator {

class TensorCopies {
public:
  TensorCopies(const EmulatedLaunch &launch, BlockFaults &faults, SharedMemory &shared, GlobalMemory &global,
               Mbarriers &mbarriers, BlockTiming &timing);

  void begin(uint64_t block);

  /// `lane` writes a field of a descriptor, which no copy in flight may use.
  void replace(Lane &lane, TensorMap &map, host_abi::TensorMapField field, uint32_t dimension, uint64_t value,
               uint32_t site);
  /// Returns `map` in its present state: a map of the launch, or a copy of one that the block has built. The copy is
  /// kept because the block may rebuild the original while stores through it are still unwritten.
  const TensorMap *keep(const TensorMap *map);

  /// The box that a copy moves, and the sites of its two ends.
  struct Box {
    const TensorMap *map = nullptr; ///< a result of `keep`
    BoxOrigin origin = {};
    uint64_t offset = 0;                                                   ///< in shared memory
    host_abi::TensorReduction reduction = host_abi::TensorReduction::None; ///< reduction of a store
    uint32_t sharedSite = 0, globalSite = 0;
  };
  void store(Lane &lane, const Box &box);
  void commitStores(Lane &lane);
  /// Waits for all groups of stores except the newest `outstanding`: for their reads only, or for their writes too.
  void waitForStores(Lane &lane, uint32_t outstanding, bool readOnly);
  /// `barrier`: offset of the mbarrier on which the load completes bytes.
  void load(Lane &lane, const Box &box, uint64_t barrier);
  /// Called when `lane` has ended.
  void leave(Lane &lane);
  /// Called when all lanes have ended.
  void end();

private:
  struct Store {
    Box box;
    uint64_t group = 0;
    uint32_t stepsLeft = 0; ///< steps until the data are read, where the moment is random
    bool isAwaited = false; ///< shared memory may be overwritten
    /// The data that were read and their shadow: the parts inside the tensor, concatenated.
    std::vector<std::byte> bytes = {}, shadow = {};
    bool wasRead = false;
  };
  struct Stores {
    std::deque<Store> inFlight; ///< in start order
    uint64_t openGroup = 0;
  };

  struct Load {
    Box box;
    uint64_t barrier = 0;
    uint32_t thread = 0;
    Epoch epoch = 0;        ///< epoch of the warp when the load started
    Released released = {}; ///< clocks that the lane had released by then
    uint32_t stepsLeft = 0; ///< steps until it arrives, where the moment is random
    Clocks at = 0;          ///< arrival time, in a block that is recorded
  };

  void checkOrigin(Lane &lane, const Box &box);
  void checkCoordinates(Lane &lane, const Box &box, bool mayBeNegative);
  void checkPixels(Lane &lane, const Box &box);
  void step();
  void read(Store &store);
  void write(const Store &store);
  /// Called when the lane has waited for the writes of `store`: they are writes like others from now on.
  void endWrites(Lane &lane, const Store &store);
  /// Returns the first load in flight to the mbarrier at `barrier`; the end if there is none.
  std::deque<Load>::iterator firstTo(uint64_t barrier) { return std::ranges::find(loads, barrier, &Load::barrier); }
  /// Lets the first load in flight to the mbarrier at `barrier` arrive.
  void bring(uint64_t barrier);
  void arrive(const Load &load);

  const EmulatedLaunch &launch;
  BlockFaults &faults;
  SharedMemory &shared;
  GlobalMemory &global;
  Mbarriers &mbarriers;
  BlockTiming &timing;
  std::map<uint32_t, Stores> storesOf; ///< indexed by thread
  std::deque<Load> loads;              ///< in start order
  /// A descriptor that the block built, as it was when a copy through it began.
  struct MadeMap {
    const TensorMap *address; ///< address in scratch memory
    TensorMap map;
  };
  std::deque<MadeMap> madeMaps;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
