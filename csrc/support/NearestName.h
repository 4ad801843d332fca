//===- NearestName.h - "did you mean" ----------------------------------------------===//
#ifndef HOCKET_SUPPORT_NEARESTNAME_H
#define HOCKET_SUPPORT_NEARESTNAME_H

#include <span>
#include <string>
#include <string_view>

namespace hocket {

/// The candidate that is most likely meant by a misspelt `name`; empty when none is close. Insertions, deletions,
/// substitutions and swaps of neighbours count one each; a third of the name may be wrong.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

} // namespace hocket

#endif
