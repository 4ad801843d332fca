//===- PrintedLines.cpp - Lines that a block prints ----------------------------------------------===//
#include "emulator/block/PrintedLines.h"
#include "support/PrintedLine.h"

namespace hocket::emulator {

void PrintedLines::print(const Lane &lane, const uint64_t *values, uint32_t site) {
  if (lines.count++ >= LaunchPrints::kMostLines)
    return;
  lines.text += printedThread(lane.block->blockIndex, lane.warp, lane.lane) + ": " +
                formatPrinted(launch.program.sites[site].message, values) + "\n";
}

void PrintedLines::end(uint64_t block) {
  if (lines.count > 0)
    launch.prints.add(block, std::move(lines));
  lines = {};
}

} // namespace hocket::emulator
