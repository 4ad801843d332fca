//===- PrintedLine.cpp - Formatting of lines printed by kernels -----------------------===//
#include "support/PrintedLine.h"

#include <bit>
#include <cstdio>

namespace hocket {

/// Returns the text of one printf directive, such as "%llx", applied to the value `bits`.
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

std::string formatPrinted(const std::string &format, const uint64_t *values) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
    } else if (format[i + 1] == '%') {
      text += format[i++];
    } else {
      // A directive ends with one of the letters d, u, x and g: for example, "%llx" ends with x.
      size_t end = format.find_first_of("duxg", i);
      text += formatOne(format.substr(i, end + 1 - i), *values++);
      i = end;
    }
  }
  return text;
}

std::string printedThread(const uint32_t block[3], uint32_t warp, uint32_t lane) {
  char text[96];
  std::snprintf(text, sizeof(text), "block (%u, %u, %u), warp %u, lane %u", block[0], block[1], block[2], warp, lane);
  return text;
}

} // namespace hocket
