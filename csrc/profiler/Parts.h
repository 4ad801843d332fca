//===- Parts.h - Distribution of a launch's records over threads -----------------------===//
#ifndef HOCKET_PROFILER_PARTS_H
#define HOCKET_PROFILER_PARTS_H

#include "profiler/Decode.h"

#include <functional>
#include <utility>

namespace hocket::profiler {

/// Index range [first, last) of the records of one block, or of several.
using Part = std::pair<size_t, size_t>;

/// Returns the end of the range of records that begins at records[first] and belongs to one launch and block.
size_t endOfBlock(std::span<const Record> records, size_t first);

/// Splits `records` at block boundaries into one part per core, or into fewer parts if there are few records.
std::vector<Part> partsOf(std::span<const Record> records);

/// Calls work(0) in the calling thread, and work(1), work(2), ... each in a separate thread, or in the calling thread
/// if no more threads can start. Returns when all calls have returned. If calls have failed, rethrows the exception of
/// the one with the lowest number.
void runParts(size_t parts, const std::function<void(size_t)> &work);

} // namespace hocket::profiler

#endif
