//===- TensorCopies.h - TMA copies of boxes of tensors -----------------------------------------===//
//
// A single lane starts a bulk store. The lane's bulk stores since its last commit form a bulk group. The hardware may
// read shared memory at any time before the lane has waited for the group. LaunchOptions::completion determines when
// the emulator reads shared memory: at the wait, at a random earlier time, or at once. A write to the source of a bulk
// store before the wait is a race. The emulator writes the data to global memory when the lane has waited for the
// writes of the group, or when the block ends.
//
// A lane must not end before it has waited until its stores have read shared memory. Otherwise, data may be lost,
// because another block can receive this shared memory.
//
// A bulk load completes bytes on an mbarrier. LaunchOptions::completion determines when the emulator writes the data of
// a bulk load to shared memory: when lanes wait at the mbarrier and no lane can run, at a random earlier time, or at
// once. Until the data are written, every access of the destination is a race.
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

  /// Writes `field` of the tensor map `map` for `lane`. Reports a fault if a copy in flight uses the tensor map.
  void replace(Lane &lane, TensorMap &map, host_abi::TensorMapField field, uint32_t dimension, uint64_t value,
               uint32_t site);
  /// Returns `map` itself if it is an argument of the launch. Otherwise the block has built `map`, and the function
  /// returns a copy, because the block may rebuild the tensor map while stores that use it are still unwritten.
  const TensorMap *keep(const TensorMap *map);

  /// The box of a bulk copy, and the sites of its accesses of shared and of global memory.
  struct Box {
    const TensorMap *map = nullptr; ///< the tensor map, as returned by `keep`
    BoxOrigin origin = {};
    uint64_t offset = 0;                                                   ///< offset of the box in shared memory
    host_abi::TensorReduction reduction = host_abi::TensorReduction::None; ///< the reduction that a store performs
    uint32_t sharedSite = 0, globalSite = 0;
  };
  void store(Lane &lane, const Box &box);
  void commitStores(Lane &lane);
  /// Waits for all bulk groups of `lane` except the newest `outstanding`. If `readOnly`, waits only until the stores of
  /// these groups have read shared memory.
  void waitForStores(Lane &lane, uint32_t outstanding, bool readOnly);
  /// Starts a bulk load of a box. `barrier`: offset of the mbarrier on which the load completes bytes.
  void load(Lane &lane, const Box &box, uint64_t barrier);
  /// Reports a fault if `lane` has not waited until its stores have read shared memory. Must be called when `lane` has
  /// ended.
  void leave(Lane &lane);
  /// Writes the data of all stores in flight. Reports a fault if a load has not arrived. Must be called when all lanes
  /// have ended.
  void end();

private:
  struct Store {
    Box box;
    uint64_t group = 0;
    uint32_t stepsLeft = 0; ///< with Completion::Random: calls of step() until the data are read
    bool isAwaited = false; ///< true if the lane has waited until the data were read
    /// Data that the store has read from shared memory, and their shadow: the concatenated parts of the box that are
    /// inside the tensor.
    std::vector<std::byte> bytes = {}, shadow = {};
    bool wasRead = false;
  };
  struct Stores {
    std::deque<Store> inFlight; ///< stores in flight, in the order of their start
    uint64_t openGroup = 0;
  };

  struct Load {
    Box box;
    uint64_t barrier = 0;
    uint32_t thread = 0;
    Epoch epoch = 0;        ///< epoch of the warp (VectorClock.h) when the load started
    Released released = {}; ///< vector clocks that the lane released when the load started
    uint32_t stepsLeft = 0; ///< with Completion::Random: calls of step() until the load arrives
    Clocks at = 0;          ///< virtual time of the arrival; 0 without a virtual clock
  };

  void checkOrigin(Lane &lane, const Box &box);
  void checkCoordinates(Lane &lane, const Box &box, bool mayBeNegative);
  void checkPixels(Lane &lane, const Box &box);
  void step();
  void read(Store &store);
  void write(const Store &store);
  /// Records for race detection that `store` is no longer in flight: its writes become ordinary writes. Must be called
  /// when the lane has waited for these writes or has ended.
  void endWrites(Lane &lane, const Store &store);
  /// Returns the oldest load in flight that completes bytes on the mbarrier at `barrier`; loads.end() if there is no
  /// such load.
  std::deque<Load>::iterator firstTo(uint64_t barrier) { return std::ranges::find(loads, barrier, &Load::barrier); }
  /// Performs the arrival of the oldest load in flight that completes bytes on the mbarrier at `barrier`.
  void bring(uint64_t barrier);
  void arrive(const Load &load);

  const EmulatedLaunch &launch;
  BlockFaults &faults;
  SharedMemory &shared;
  GlobalMemory &global;
  Mbarriers &mbarriers;
  BlockTiming &timing;
  std::map<uint32_t, Stores> storesOf; ///< the stores of each thread, indexed by thread
  std::deque<Load> loads;              ///< loads in flight, in the order of their start
  /// A copy of a tensor map that the block has built. The copy is made when a bulk copy that uses the tensor map
  /// begins.
  struct MadeMap {
    const TensorMap *address; ///< address of the tensor map that the block has built
    TensorMap map;
  };
  std::deque<MadeMap> madeMaps;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
