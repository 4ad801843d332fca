//===- NearestName.h - Spelling suggestions ("did you mean") -----------------------===//
#ifndef HOCKET_SUPPORT_NEARESTNAME_H
#define HOCKET_SUPPORT_NEARESTNAME_H

#include <span>
#include <string>
#include <string_view>

namespace hocket {

/// Returns the candidate with the smallest edit distance from a misspelled `name`, or "" if no candidate is close.
/// Insertions, deletions, substitutions and swaps of adjacent letters each cost 1; a candidate is close if its distance
/// is at most a third of the name's length.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

} // namespace hocket

#endif
