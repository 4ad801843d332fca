//===- DescribeAccess.cpp - Descriptions of accesses for messages of faults ---------===//
#include "emulator/faults/DescribeAccess.h"
#include "emulator/run/ImplicitMemory.h"

namespace hocket::emulator {

using host_abi::SiteKind;

size_t elementBytes(const std::string &dtype) {
  size_t digits = dtype.find_first_of("0123456789");
  if (digits == std::string::npos)
    return 1; // bool
  return std::max<size_t>(1, size_t(std::stoul(dtype.substr(digits))) / 8);
}

std::string plural(uint64_t count, const std::string &noun) {
  return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string indexRange(int64_t first, int64_t count) {
  return count > 1 ? format("{} to {}", first, first + count - 1) : std::to_string(first);
}

int argumentOf(const EmulatedLaunch &launch, const Site &site, uint64_t address) {
  if (site.argument >= 0)
    return site.argument;
  int nearest = -1;
  uint64_t shortest = uint64_t(1) << 20; // maximum distance in bytes from the address to its presumed array
  for (size_t i = 0; i < launch.arrays.size(); ++i) {
    const ArrayRange &array = launch.arrays[i];
    if (!arrayOf(launch.arguments[i]) || array.begin == 0)
      continue;
    uint64_t end = array.begin + array.bytes;
    uint64_t distance = address < array.begin ? array.begin - address : address >= end ? address - end : 0;
    if (distance < shortest) {
      shortest = distance;
      nearest = int(i);
    }
  }
  return nearest;
}

std::string accessNoun(SiteKind kind, const std::string &array) {
  bool isOurs = array == "shared memory" || array == kScratchName; // not a name from the kernel, so no backticks
  std::string of = array.empty() ? "" : isOurs ? " " + array : " `" + array + "`";
  switch (kind) {
  case SiteKind::Write:
  case SiteKind::SharedWrite:
  case SiteKind::SharedCopy:
  case SiteKind::TensorLoad:
  case SiteKind::RemoteStore:
    return "write to" + (of.empty() ? " memory outside of all arrays" : of);
  case SiteKind::Atomic:
  case SiteKind::SharedAtomic:
    return "atomic access to" + (of.empty() ? " memory outside of all arrays" : of);
  default:
    return "read of" + (of.empty() ? " memory outside of all arrays" : of);
  }
}

std::string lineOf(const Diagnostic &place, const Diagnostic &message) {
  if (place.line == 0)
    return "a line that is not known";
  if (place.file == message.file)
    return "line " + std::to_string(place.line);
  return displayPath(place.file) + ":" + std::to_string(place.line);
}

std::string describeOffset(const Program &program, uint64_t offset) {
  std::string text;
  for (const SharedBuffer &buffer : program.buffers)
    if (buffer.contains(offset))
      text += format("{0}byte {1} of {2}", text.empty() ? "" : ", ", offset - buffer.offset, buffer.name);
  return text.empty() ? format("byte {0} of shared memory", offset) : text;
}

std::string stageOf(const Site &site, const char *where) {
  return site.stage.empty() ? "" : format(", {} stage \"{}\"", where, site.stage);
}

std::string warpName(const Program &program, uint32_t warp) {
  std::string worker = workerOf(program.workers, warp), name = std::to_string(warp);
  if (program.numCtas > 1)
    name = format("{} of block {} of the cluster", warp % program.warpsOfCta(), warp / program.warpsOfCta());
  return format("warp {}{}", name,
                worker.empty() ? "" : (program.numCtas > 1 ? ", of worker " : " of worker ") + worker);
}

std::string placeOf(const EmulatedLaunch &launch, const Failure &failure, const Site &site) {
  return format("{} ({}, {}, {}), {}, lane {}{}", launch.program.numCtas > 1 ? "cluster" : "block", failure.block[0],
                failure.block[1], failure.block[2], warpName(launch.program, uint32_t(failure.warp)), failure.lane,
                stageOf(site));
}

std::string hintForCopy() {
  return "wait for the phase of its mbarrier: mbarrier.wait(barrier, phase), where phase counts 0, 1, 2, ... from "
         "init; "
         "a wait for the parity of the previous phase returns at once";
}

} // namespace hocket::emulator
