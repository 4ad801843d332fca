//===- RunBlocks.h - Distributes the blocks of a launch over threads ---------------------------===//
#ifndef HOCKET_EMULATOR_RUN_RUNBLOCKS_H
#define HOCKET_EMULATOR_RUN_RUNBLOCKS_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

#include <optional>

namespace hocket::emulator {

/// Runs all blocks. Returns the fault of the first block with a fault. Throws std::bad_alloc.
std::optional<BlockFault> runBlocks(EmulatedLaunch &launch);

} // namespace hocket::emulator

#endif
