//===- MessageBuffer.cpp - Messages from kernels to the host, through memory -----------===//
#include "support/MessageBuffer.h"
#include "support/PrintedLine.h"

#include <algorithm>
#include <array>

namespace hocket {

namespace {

struct Record {
  const MessageSite *site;
  uint32_t thread;
  std::array<uint32_t, 3> block;
  const uint64_t *values;
};

} // namespace

static uint32_t lowOf(uint64_t word) { return uint32_t(word); }
static uint32_t highOf(uint64_t word) { return uint32_t(word >> 32); }

/// Returns the records in one area of the message buffer, sorted by block. Records of the same block keep their order.
static std::vector<Record> recordsOf(const MessageArea &area, std::span<const uint64_t> buffer,
                                     std::span<const MessageSite> sites) {
  std::span<const uint64_t> words = buffer.subspan(area.begin / 8, area.words);
  std::vector<Record> records;
  while (words.size() >= kRecordHeaderWords) {
    uint32_t length = highOf(words[2]), site = lowOf(words[0]);
    if (length < kRecordHeaderWords || length > words.size() || site >= sites.size())
      break;
    records.push_back(
        {&sites[site], highOf(words[0]), {lowOf(words[1]), highOf(words[1]), lowOf(words[2])}, &words[3]});
    words = words.subspan(length);
  }
  std::ranges::stable_sort(
      records, {}, [](const Record &record) { return std::array{record.block[2], record.block[1], record.block[0]}; });
  return records;
}

static std::string placeOf(const Record &record, uint32_t warpSize) {
  return printedThread(record.block.data(), record.thread / warpSize, record.thread % warpSize);
}

static std::string describeFailure(const Record &record, uint32_t warpSize) {
  Diagnostic failure = record.site->failure;
  if (record.site->showsIndex)
    describeIndexValue(failure, int64_t(*record.values));
  failure.notes.push_back({"at", placeOf(record, warpSize)});
  return failure.render();
}

Messages takeMessages(std::span<uint64_t> buffer, std::span<const MessageSite> sites, uint32_t warpSize) {
  auto unwritten = [&](const MessageArea &area) { return buffer[area.counters / 8 + 1]; };
  Messages messages;
  for (const Record &record : recordsOf(kLineArea, buffer, sites))
    messages.lines += placeOf(record, warpSize) + ": " + formatPrinted(record.site->format, record.values) + "\n";
  if (uint64_t lost = unwritten(kLineArea))
    messages.lines += "(" + std::to_string(lost) + " more lines were dropped; a launch can print up to " +
                      std::to_string(kMessageBytes >> 10) + " KiB)\n";
  std::vector<Record> failures = recordsOf(kFailureArea, buffer, sites);
  if (!failures.empty()) {
    messages.failures = describeFailure(failures.front(), warpSize);
    if (uint64_t others = failures.size() - 1 + unwritten(kFailureArea))
      messages.failures += "\n  and " + std::to_string(others) + " more in this launch";
  }
  for (const MessageArea &area : {kLineArea, kFailureArea}) {
    int64_t used = std::min<uint64_t>(buffer[area.counters / 8], area.words);
    std::fill_n(buffer.begin() + area.begin / 8, used, 0);
    std::fill_n(buffer.begin() + area.counters / 8, 2, 0);
  }
  return messages;
}

void describeIndexValue(Diagnostic &diagnostic, int64_t value) {
  if (value == int32_t(value)) {
    diagnostic.notes.push_back({"value", std::to_string(value)});
    return;
  }
  diagnostic.notes.push_back(
      {"value", std::to_string(value) + ", whose low 32 bits are " + std::to_string(int32_t(value))});
  diagnostic.hint = "compute it in 64 bits: convert an operand first, as in x.to(gl.int64)";
}

} // namespace hocket
