//===- LaunchPrints.h - Lines that the blocks of a launch print ------------------------------===//
//
// The lines of a block are adjacent, and blocks are in ascending order, independently of the host's threads. Only the
// first kMostLines lines of a launch are kept. To bound memory, the text of a block is dropped once the blocks before
// it have printed kMostLines lines.
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
  std::string text;   ///< the first kMostLines lines that the block has printed
  uint64_t count = 0; ///< number of lines that the block has printed
};

class LaunchPrints {
public:
  static constexpr uint64_t kMostLines = 4096;

  void add(uint64_t block, LinesOfBlock lines);
  /// Returns the text to show to the user. Must be called after all blocks have ended.
  std::string take();

private:
  std::mutex mutex;
  std::map<uint64_t, LinesOfBlock> blocks;
  uint64_t kept = 0, total = 0; ///< number of lines in `blocks`, and number of all printed lines
};

} // namespace hocket::emulator

#endif
