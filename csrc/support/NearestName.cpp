//===- NearestName.cpp - Spelling suggestions ("did you mean") ---------------------===//
#include "support/NearestName.h"
#include <algorithm>
#include <cctype>
#include <vector>

using namespace hocket;

/// Returns the edit distance of two names, ignoring case. A swap of two adjacent letters counts as one edit (optimal
/// string alignment distance).
static size_t editDistance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<size_t> beforePrevious, previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], beforePrevious[j - 2] + 1);
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.size()];
}

std::string hocket::nearestName(std::string_view name, std::span<const std::string> candidates) {
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string nearest;
  for (const std::string &candidate : candidates) {
    size_t lengths = std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (lengths >= best || candidate == name)
      continue;
    // If the edit distance equals the length of the longer name, the two names have no letter in common at matching
    // positions.
    size_t distance = editDistance(name, candidate);
    if (distance < best && distance < std::max(name.size(), candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
