//===- TensorCopies.h - Blocks of tensors on their way between memories ------------------------===//
//
// One lane starts a bulk store; those since its last commit are a group. Until a wait has covered the group, shared
// memory is being read: it is read as late as that, at a random moment, or at once, as Completion says, and whoever
// writes it before is in conflict with the store. What has been read is written to global memory when a wait asks for
// that too, or when the block ends.
//
// A lane that ends before shared memory has been read may lose it: another block gets the memory.
//
// A bulk load brings bytes to an mbarrier. It writes shared memory when lanes wait there and nothing else can go on, at
// a random moment before, or at once; until then whoever accesses that memory is in conflict with it.
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

  /// A lane writes a field of a descriptor, which no copy may be using.
  void replace(Lane &lane, TensorMap &map, host_abi::TensorMapField field, uint32_t dimension, uint64_t value,
               uint32_t site);
  /// `map` as it is now: one of the launch, or a copy of one that the block has made, which it may make anew while what
  /// has been stored by it is still to be written.
  const TensorMap *keep(const TensorMap *map);

  /// What a copy moves, and the sites of its two ends.
  struct Box {
    const TensorMap *map = nullptr; ///< as `keep` returns it
    TensorPlace place = {};
    uint64_t offset = 0;                                                   ///< in shared memory
    host_abi::TensorReduction reduction = host_abi::TensorReduction::None; ///< of a store
    uint32_t sharedSite = 0, globalSite = 0;
  };
  void store(Lane &lane, const Box &box);
  void commitStores(Lane &lane);
  /// Waits for all groups of stores but the newest `outstanding`: for their reads, or for all that they do.
  void waitForStores(Lane &lane, uint32_t outstanding, bool readOnly);
  /// `barrier`: the offset of the mbarrier that it completes bytes of.
  void load(Lane &lane, const Box &box, uint64_t barrier);
  /// `lane` has come to its end.
  void leave(Lane &lane);
  /// All lanes have.
  void end();

private:
  struct Store {
    Box box;
    uint64_t group = 0;
    uint32_t stepsLeft = 0; ///< until it is read, where that is random
    bool isAwaited = false; ///< shared memory may be written again
    /// What was read, and the shadow of it: the parts that lie inside of the tensor, one after the other.
    std::vector<std::byte> bytes = {}, shadow = {};
    bool wasRead = false;
  };
  struct Stores {
    std::deque<Store> inFlight; ///< in the order of their start
    uint64_t openGroup = 0;
  };

  struct Load {
    Box box;
    uint64_t barrier = 0;
    uint32_t thread = 0;
    Epoch epoch = 0;        ///< of its warp, when it started
    Released released = {}; ///< by its lane, until then
    uint32_t stepsLeft = 0; ///< until it arrives, where that is random
    Clocks at = 0;          ///< when it arrives, in a block that is recorded
  };

  void checkPlace(Lane &lane, const Box &box);
  void checkCoordinates(Lane &lane, const Box &box, bool mayBeNegative);
  void checkPixels(Lane &lane, const Box &box);
  void step();
  void read(Store &store);
  void write(const Store &store);
  /// From here on, what `store` has written is a write like others.
  void endWrites(Lane &lane, const Store &store);
  /// The first load on its way to the mbarrier at `barrier`; the end if there is none.
  std::deque<Load>::iterator firstTo(uint64_t barrier) { return std::ranges::find(loads, barrier, &Load::barrier); }
  /// That load arrives.
  void bring(uint64_t barrier);
  void arrive(const Load &load);

  const EmulatedLaunch &launch;
  BlockFaults &faults;
  SharedMemory &shared;
  GlobalMemory &global;
  Mbarriers &mbarriers;
  BlockTiming &timing;
  std::map<uint32_t, Stores> storesOf; ///< by thread
  std::deque<Load> loads;              ///< in the order of their start
  /// Descriptors as they were when copies by them began.
  struct MadeMap {
    const TensorMap *place; ///< in scratch memory
    TensorMap map;
  };
  std::deque<MadeMap> madeMaps;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
