//===- Parts.h - Records of many blocks, shared out among threads ----------------------===//
#ifndef HOCKET_PROFILER_PARTS_H
#define HOCKET_PROFILER_PARTS_H

#include "profiler/Decode.h"

#include <functional>
#include <utility>

namespace hocket::profiler {

/// [first, last) of the records of one block, or of several.
using Part = std::pair<size_t, size_t>;

/// The end of the records that are of the same launch and block as records[first].
size_t endOfBlock(std::span<const Record> records, size_t first);

/// Cuts `records` where blocks end: a part for each core, unless parts would be small.
std::vector<Part> partsOf(std::span<const Record> records);

/// Calls work(0), work(1), .. in a thread each, in the caller where no more can start, and returns when all have
/// returned. Throws what the first of them threw.
void runParts(size_t parts, const std::function<void(size_t)> &work);

} // namespace hocket::profiler

#endif
