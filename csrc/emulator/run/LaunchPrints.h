//===- LaunchPrints.h - Lines that the blocks of a launch print ------------------------------===//
//
// The lines of a block stay together, and blocks are in order, independently of the host's threads. The first
// kMostLines of a launch are kept, and memory is bounded: the text of a block is dropped once the blocks before it have
// reached the limit.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RUN_LAUNCHPRINTS_H
#define HOCKET_EMULATOR_RUN_LAUNCHPRINTS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace hocket::emulator {

struct LinesOfBlock {
  std::string text;   ///< the first kMostLines
  uint64_t count = 0; ///< number of all lines
};

class LaunchPrints {
public:
  static constexpr uint64_t kMostLines = 4096;

  void add(uint64_t block, LinesOfBlock lines);
  /// Returns the text to show to the user. Call after all blocks have ended.
  std::string take();

private:
  std::mutex mutex;
  std::map<uint64_t, LinesOfBlock> blocks;
  uint64_t kept = 0, total = 0; ///< number of lines in `blocks`, of all lines
};

} // namespace hocket::emulator

#endif
