//===- DrawTable.h - Layouts as text tables, for tests to compare -----------------===//
#ifndef HOCKET_TESTS_UNIT_LAYOUT_DRAWTABLE_H
#define HOCKET_TESTS_UNIT_LAYOUT_DRAWTABLE_H

#include "layout/LinearLayout.h"

#include <random>
#include <string>

namespace hocket {

/// Prints the tile of a layout of rank 1 or 2 with the holders of each element. Distributed layouts:
/// "warp.lane:register", without "warp." if there is one warp; several holders as "a|b". Shared layouts: the offset.
/// The text starts with a newline so that tests can write it as a raw string:
///
///     0:0 0:1
///     1:1 1:0
std::string drawTable(const LinearLayout &layout);

/// Returns a random map with these dimensions.
LinearLayout randomLayout(std::mt19937 &random, std::span<const DimBits> ins, std::span<const DimBits> outs);
/// Returns a random surjective map; there must be enough input bits.
LinearLayout randomSurjection(std::mt19937 &random, std::span<const DimBits> ins, std::span<const DimBits> outs);

} // namespace hocket

#endif
