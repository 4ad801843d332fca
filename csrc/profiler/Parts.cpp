//===- Parts.cpp - Distribution of a launch's records over threads ---------------------===//
#include "profiler/Parts.h"

#include "support/UsableCores.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace hocket::profiler {

/// Minimum number of records per thread. With fewer records, starting the thread would take longer than the thread
/// saves.
static constexpr size_t kRecordsOfPart = size_t(1) << 16;

size_t endOfBlock(std::span<const Record> records, size_t first) {
  size_t end = first + 1;
  while (end < records.size() && records[end].cta == records[first].cta && records[end].launch == records[first].launch)
    ++end;
  return end;
}

std::vector<Part> partsOf(std::span<const Record> records) {
  size_t cores = usableCores();
  size_t count = std::clamp<size_t>(records.size() / kRecordsOfPart, 1, cores);
  std::vector<Part> parts;
  for (size_t begin = 0, i = 1; begin < records.size(); ++i) {
    size_t wanted = std::max(begin, records.size() * i / count - 1);
    size_t end = endOfBlock(records, std::min(wanted, records.size() - 1));
    parts.push_back({begin, end});
    begin = end;
  }
  return parts;
}

void runParts(size_t parts, const std::function<void(size_t)> &work) {
  std::vector<std::exception_ptr> failures(parts);
  auto guarded = [&](size_t part) {
    try {
      work(part);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    size_t own = 1; // index of the first part without a thread of its own
    try {
      for (; own < parts; ++own)
        threads.emplace_back(guarded, own);
    } catch (const std::system_error &) {
      // The system cannot start more threads: this thread processes the remaining parts.
    }
    for (size_t part = own; part < parts; ++part)
      guarded(part);
    if (parts)
      guarded(0);
  }
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace hocket::profiler
