//===- LaunchPrints.h - What the blocks of a launch print ---------------------------------------===//
//
// The lines of a block come together, and blocks in their order, whatever the threads of this machine do. The first
// kMostLines of a launch are kept, and memory is bounded: the text of a block goes when those before it have filled
// the limit.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_LAUNCH_LAUNCHPRINTS_H
#define HOCKET_EMULATOR_LAUNCH_LAUNCHPRINTS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace hocket::emulator {

struct LinesOfBlock {
  std::string text;   ///< the first kMostLines
  uint64_t count = 0; ///< of all
};

class LaunchPrints {
public:
  static constexpr uint64_t kMostLines = 4096;

  void add(uint64_t block, LinesOfBlock lines);
  /// What to show the user. Once all blocks have ended.
  std::string take();

private:
  std::mutex mutex;
  std::map<uint64_t, LinesOfBlock> blocks;
  uint64_t kept = 0, total = 0; ///< lines: in `blocks`, of all
};

} // namespace hocket::emulator

#endif
