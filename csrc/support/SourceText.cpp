//===- SourceText.cpp - Source text of the expression under a diagnostic ------------===//
#include "support/SourceText.h"

#include <fstream>

namespace hocket {

std::string sourceTextOf(const Diagnostic &place) {
  std::ifstream file(place.file);
  std::string line;
  for (int i = 0; i < place.line; ++i)
    if (!std::getline(file, line))
      return "";
  if (place.line == 0 || place.column >= place.endColumn || size_t(place.endColumn) > line.size())
    return "";
  return line.substr(place.column, place.endColumn - place.column);
}

} // namespace hocket
