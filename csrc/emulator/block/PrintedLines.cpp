//===- PrintedLines.cpp - What a block prints ----------------------------------------------------===//
#include "emulator/block/PrintedLines.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace hocket::emulator {

/// One directive of printf with its value.
static std::string formatOne(const std::string &directive, uint64_t bits) {
  char text[64];
  if (directive.back() == 'g')
    std::snprintf(text, sizeof(text), directive.c_str(), std::bit_cast<double>(bits));
  else if (directive.find("ll") != std::string::npos)
    std::snprintf(text, sizeof(text), directive.c_str(), static_cast<unsigned long long>(bits));
  else
    std::snprintf(text, sizeof(text), directive.c_str(), unsigned(bits));
  return text;
}

/// `format` with its directives, which all end in a letter of "duxg", replaced.
static std::string formatAll(const std::string &format, const uint64_t *values) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
    } else if (format[i + 1] == '%') {
      text += format[i++];
    } else {
      // "%llx": the letter is the first of these after the width.
      size_t end = format.find_first_of("duxg", i);
      text += formatOne(format.substr(i, end + 1 - i), *values++);
      i = end;
    }
  }
  return text;
}

void PrintedLines::print(const Lane &lane, const uint64_t *values, uint32_t site) {
  if (lines.count++ >= LaunchPrints::kMostLines)
    return;
  char place[96];
  const uint32_t *block = lane.block->blockIndex;
  std::snprintf(place, sizeof(place), "block (%u, %u, %u), warp %u, lane %u: ", block[0], block[1], block[2], lane.warp,
                lane.lane);
  lines.text += place + formatAll(launch.program.sites[site].message, values) + "\n";
}

void PrintedLines::end(uint64_t block) {
  if (lines.count > 0)
    launch.prints.add(block, std::move(lines));
  lines = {};
}

} // namespace hocket::emulator
