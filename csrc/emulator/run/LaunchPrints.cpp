//===- LaunchPrints.cpp - Lines that the blocks of a launch print ----------------------------===//
#include "emulator/run/LaunchPrints.h"

#include <algorithm>

namespace hocket::emulator {

void LaunchPrints::add(uint64_t block, LinesOfBlock lines) {
  std::lock_guard lock(mutex);
  total += lines.count;
  kept += std::min(lines.count, kMostLines);
  blocks[block] = std::move(lines);
  auto linesOfLast = [&] { return std::min(blocks.rbegin()->second.count, kMostLines); };
  while (kept - linesOfLast() >= kMostLines) {
    kept -= linesOfLast();
    blocks.erase(std::prev(blocks.end()));
  }
}

std::string LaunchPrints::take() {
  std::string text;
  uint64_t left = kMostLines;
  for (auto &[block, lines] : blocks) {
    uint64_t shown = std::min({lines.count, kMostLines, left});
    size_t end = lines.text.size();
    if (shown < std::min(lines.count, kMostLines)) {
      end = 0;
      for (uint64_t i = 0; i < shown; ++i)
        end = lines.text.find('\n', end) + 1;
    }
    text.append(lines.text, 0, end);
    left -= shown;
  }
  if (uint64_t dropped = total - (kMostLines - left))
    text += "(" + std::to_string(dropped) + " more lines were dropped; a launch can print up to " +
            std::to_string(kMostLines) + " lines)\n";
  return text;
}

} // namespace hocket::emulator
