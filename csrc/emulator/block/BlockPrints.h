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
  /// Adds a line that `lane` prints: the message of `site`, formatted as by printf with the 64-bit `values`.
  void print(const Lane &lane, const uint64_t *values, uint32_t site);
  /// Passes the printed lines to the launch. Must be called when block number `block` has ended.
  void end(uint64_t block);

private:
  EmulatedLaunch &launch;
  LinesOfBlock lines;
};

} // namespace hocket::emulator

#endif
