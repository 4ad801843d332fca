//===- Parts.h - Distribution of a launch's records over threads -----------------------===//
#ifndef HOCKET_PROFILER_PARTS_H
#define HOCKET_PROFILER_PARTS_H

#include "profiler/Decode.h"

#include <functional>
#include <utility>

namespace hocket::profiler {

/// Index range [first, second) of the records of one or several complete blocks.
using Part = std::pair<size_t, size_t>;

/// Returns the end of the range of records that begins at records[first] and belongs to one launch and block.
size_t endOfBlock(std::span<const Record> records, size_t first);

/// Splits `records` at block boundaries into at most one part for each core. Few records are split into fewer parts.
std::vector<Part> partsOf(std::span<const Record> records);

/// Calls work(i) for all i from 0 to parts - 1, each in a separate thread. The calling thread executes work(0), and the
/// calls for which no thread can be started. Returns when all calls have returned. If calls have thrown exceptions,
/// rethrows the exception of the call with the lowest i.
void runParts(size_t parts, const std::function<void(size_t)> &work);

} // namespace hocket::profiler

#endif
