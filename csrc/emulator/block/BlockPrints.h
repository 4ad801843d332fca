//===- BlockPrints.h - Lines that a block prints ------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_BLOCKPRINTS_H
#define HOCKET_EMULATOR_BLOCK_BLOCKPRINTS_H

#include "emulator/block/Lane.h"
#include "emulator/run/EmulatedLaunch.h"

namespace hocket::emulator {

class BlockPrints {
public:
  explicit BlockPrints(EmulatedLaunch &launch) : launch(launch) {}

  void begin() { lines = {}; }
  /// Prints a line for `lane`: the message of the site, formatted as by printf with `values` of 64 bits each.
  void print(const Lane &lane, const uint64_t *values, uint32_t site);
  /// Must be called when the block with number `block` has ended.
  void end(uint64_t block);

private:
  EmulatedLaunch &launch;
  LinesOfBlock lines;
};

} // namespace hocket::emulator

#endif
