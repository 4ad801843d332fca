//===- BlockPrints.cpp - Lines that a block prints ----------------------------------------------===//
#include "emulator/block/BlockPrints.h"
#include "support/PrintedLine.h"

namespace hocket::emulator {

void BlockPrints::print(const Lane &lane, const uint64_t *values, uint32_t site) {
  if (lines.count++ >= LaunchPrints::kMostLines)
    return;
  lines.text += printedThread(lane.block->blockIndex, lane.warp, lane.lane) + ": " +
                formatPrinted(launch.program.sites[site].message, values) + "\n";
}

void BlockPrints::end(uint64_t block) {
  if (lines.count > 0)
    launch.prints.add(block, std::move(lines));
  lines = {};
}

} // namespace hocket::emulator
