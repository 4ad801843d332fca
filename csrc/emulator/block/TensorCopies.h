//===- TensorCopies.h - TMA copies of boxes of tensors -----------------------------------------===//
//
// One lane starts a bulk store; its stores since the last commit form a group. Until a wait has covered the group, the
// hardware may read shared memory. Depending on Completion, the emulator reads shared memory when the wait covers the
// group, at a random earlier time, or at once. Any write to the shared memory that a bulk store reads conflicts with
// the bulk store, if the write precedes the wait. The data are written to global memory when a wait also covers the
// writes of the group, or when the block ends.
//
// If a lane ends before its stores have read shared memory, the data may be lost, because another block can receive
// this shared memory.
//
// A bulk load completes bytes on an mbarrier. The emulator performs the writes of a bulk load to shared memory at one
// of three times, depending on Completion: when lanes wait at the mbarrier and no lane can run, at a random earlier
// time, or at once. Until the writes are performed, every access of the destination races with the copy.
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

  /// Writes a field of a descriptor for `lane`. Reports a fault if a copy in flight uses the descriptor.
  void replace(Lane &lane, TensorMap &map, host_abi::TensorMapField field, uint32_t dimension, uint64_t value,
               uint32_t site);
  /// Returns `map` itself if it belongs to the launch, or a copy of a map that the block has built. The copy is needed
  /// because the block may rebuild the map while stores through it are still unwritten.
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
  /// Waits for all groups of stores except the newest `outstanding`. With `readOnly`, waits only until they have read
  /// shared memory.
  void waitForStores(Lane &lane, uint32_t outstanding, bool readOnly);
  /// Starts a load. `barrier`: offset of the mbarrier on which the load completes bytes.
  void load(Lane &lane, const Box &box, uint64_t barrier);
  /// Must be called when `lane` has ended.
  void leave(Lane &lane);
  /// Must be called when all lanes have ended.
  void end();

private:
  struct Store {
    Box box;
    uint64_t group = 0;
    uint32_t stepsLeft = 0; ///< steps until the data are read, if the time is random
    bool isAwaited = false; ///< true if the program may overwrite the shared memory
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
    Released released = {}; ///< clocks that the lane had released when the load started
    uint32_t stepsLeft = 0; ///< steps until the load arrives, if the time is random
    Clocks at = 0;          ///< arrival time, if the block is recorded
  };

  void checkOrigin(Lane &lane, const Box &box);
  void checkCoordinates(Lane &lane, const Box &box, bool mayBeNegative);
  void checkPixels(Lane &lane, const Box &box);
  void step();
  void read(Store &store);
  void write(const Store &store);
  /// Records the writes of `store` as ordinary writes. Must be called when the lane has waited for these writes.
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
  /// A copy of a descriptor that the block built, made when a bulk copy that uses it began.
  struct MadeMap {
    const TensorMap *address; ///< address in scratch memory
    TensorMap map;
  };
  std::deque<MadeMap> madeMaps;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
