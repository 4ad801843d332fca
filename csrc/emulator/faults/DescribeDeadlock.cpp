//===- DescribeDeadlock.cpp - Writes the message for a deadlock or an endless loop -----------===//
#include "emulator/faults/DescribeDeadlock.h"

#include "emulator/faults/DescribeAccess.h"
#include "emulator/faults/DescribeMbarrier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <bit>
#include <cstring>

namespace hocket::emulator {

/// Returns the name of a range of warps, such as "warp 2" or "warps 0-3 of block 1".
static std::string warpsOf(const Program &program, uint32_t first, uint32_t last) {
  unsigned warps = program.warpsOfCta();
  std::string text =
      first == last ? format("warp {}", first % warps) : format("warps {}-{}", first % warps, last % warps);
  return program.numCtas > 1 ? text + format(" of block {}", first / warps) : text;
}

static std::string lanesOf(const Program &program, const StuckLanes &first, uint32_t lastWarp) {
  if (std::popcount(first.lanes) == int(program.warpSize()))
    return warpsOf(program, first.warp, lastWarp);
  std::string lanes;
  uint64_t left = first.lanes;
  while (left) {
    int begin = std::countr_zero(left), count = std::countr_one(left >> begin);
    lanes += (lanes.empty() ? "" : ", ") + std::to_string(begin);
    if (count > 1)
      lanes += "-" + std::to_string(begin + count - 1);
    left = begin + count >= 64 ? 0 : left >> (begin + count) << (begin + count);
  }
  return format("{}, lane{} {}", warpsOf(program, first.warp, lastWarp), std::popcount(first.lanes) == 1 ? "" : "s",
                lanes);
}

/// Returns the value of the array element on which lanes spin, such as ", where `flag`[0] is 0".
static std::string valueAt(const EmulatedLaunch &launch, const Site &site, uint64_t address) {
  int number = argumentOf(launch, site, address);
  if (number < 0)
    return "";
  const auto &array = *arrayOf(launch.arguments[size_t(number)]);
  size_t width = elementBytes(array.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void *>(address), std::min<size_t>(width, sizeof(bits)));
  llvm::StringRef dtype = array.dtype;
  std::string value = format("0x{0}", llvm::utohexstr(bits));
  if (dtype.starts_with("int"))
    value = std::to_string(int64_t(bits << (64 - 8 * width)) >> (64 - 8 * width));
  else if (dtype.starts_with("uint") || dtype == "bool")
    value = std::to_string(bits);
  else if (dtype == "float32")
    value = format("{0}", std::bit_cast<float>(uint32_t(bits)));
  int64_t index = int64_t(address - reinterpret_cast<uintptr_t>(array.data)) / int64_t(width);
  return format(", where `{0}`[{1}] is {2}", array.name, index, value);
}

/// True if the lanes wait at a barrier that the kernel has allocated.
static bool isAtNamedBarrier(const EmulatedLaunch &launch, const StuckLanes &stuck) {
  return stuck.where == StuckLanes::Where::Barrier && !launch.program.sites[stuck.site].message.empty();
}

/// Returns the last of the consecutive warps that wait in the same way as `fault.stuck[first]`. Marks the entries of
/// the consecutive warps in `described`.
static uint32_t lastWarpAlike(const EmulatedLaunch &launch, const BlockFault &fault, size_t first,
                              std::vector<bool> &described) {
  const StuckLanes &stuck = fault.stuck[first];
  const std::vector<Worker> &workers = launch.program.workers;
  uint32_t ofBlock = launch.program.warpsOfCta(), lastWarp = stuck.warp;
  auto isOfSameWorker = [&](uint32_t warp) {
    return workerOf(workers, warp) == workerOf(workers, stuck.warp) && warp / ofBlock == stuck.warp / ofBlock;
  };
  for (size_t j = first + 1; j < fault.stuck.size(); ++j) {
    const StuckLanes &other = fault.stuck[j];
    if (other.where == stuck.where && other.site == stuck.site && other.lanes == stuck.lanes &&
        other.address == stuck.address && other.warp == lastWarp + 1 && isOfSameWorker(other.warp)) {
      described[j] = true;
      lastWarp = other.warp;
    }
  }
  return lastWarp;
}

/// Returns a note that contains the program point at which the lanes `who` wait, and the number of lanes, threads or
/// warps that have arrived there.
static Note describeStuck(const EmulatedLaunch &launch, const StuckLanes &stuck, const std::string &who) {
  const Site &site = launch.program.sites[stuck.site];
  int32_t line = site.diagnostic.line;
  switch (stuck.where) {
  case StuckLanes::Where::Finished:
    return {"finished", who};
  case StuckLanes::Where::Loop:
    return {"waiting",
            format("{} in a loop over line {}{}{}", who, line, stageOf(site), valueAt(launch, site, stuck.address))};
  case StuckLanes::Where::Mbarrier:
    return {"waiting", format("{} {}", who, describeWaiting(launch.program, stuck))};
  case StuckLanes::Where::Barrier:
    if (isAtNamedBarrier(launch, stuck)) {
      uint32_t warpSize = launch.program.warpSize();
      return {"waiting", format("{} at {} in line {}, where {} of {} warps have arrived", who, site.message, line,
                                stuck.arrived / warpSize, stuck.expected / warpSize)};
    }
    return {"waiting", format("{} at the barrier in line {}{}, where {} of {} threads have arrived", who, line,
                              stageOf(site, "after"), stuck.arrived, stuck.expected)};
  case StuckLanes::Where::ClusterBarrier:
    return {"waiting", format("{} at the cluster's barrier in line {}, where {} of {} threads have arrived", who, line,
                              stuck.arrived, stuck.expected)};
  case StuckLanes::Where::Shuffle:
    return {"waiting", format("{} at the shuffle in line {}{}, where {} of {} lanes have arrived", who, line,
                              stageOf(site), stuck.arrived, stuck.expected)};
  }
  llvm_unreachable("unknown kind of wait");
}

/// Returns the hint for a deadlock or an endless loop. The hint depends on the kinds of barriers at which lanes wait.
static std::string hintFor(const EmulatedLaunch &launch, const BlockFault &fault) {
  auto isAnyAt = [&](StuckLanes::Where where) {
    return llvm::any_of(fault.stuck, [where](const StuckLanes &stuck) { return stuck.where == where; });
  };
  if (isAnyAt(StuckLanes::Where::Mbarrier))
    return "a phase completes after the number of arrivals given to init and of bytes given to expect; wait for "
           "phases 0, 1, 2, ... in order (only the parity of a phase is compared)";
  if (isAnyAt(StuckLanes::Where::ClusterBarrier))
    return "all threads of all blocks of the cluster arrive at its barrier, then all wait";
  if (llvm::any_of(fault.stuck, [&](const StuckLanes &stuck) { return isAtNamedBarrier(launch, stuck); }))
    return "a phase of a named barrier completes when the number of warps given to allocate have arrived; the first "
           "barrier allocated is number 0";
  if (!fault.inLoops)
    return "all warps must execute the same barriers and reductions";
  if (launch.unbegun)
    return "wait only for blocks with lower numbers: others may not begin before this one ends; or launch "
           "with launch_cooperative_grid=True, which runs all blocks at once";
  return "no other thread can change this value: all other blocks have ended or are waiting";
}

void describeDeadlock(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  auto &notes = failure.diagnostic.notes;
  failure.diagnostic.message = fault.inLoops ? "endless loop: lanes wait for values that are never written"
                                             : "deadlock: lanes wait for lanes that never arrive";
  notes.push_back({"at", format("block ({}, {}, {})", failure.block[0], failure.block[1], failure.block[2])});
  std::vector<bool> described(fault.stuck.size());
  for (size_t i = 0; i < fault.stuck.size(); ++i) {
    if (described[i])
      continue;
    const StuckLanes &stuck = fault.stuck[i];
    std::string who = lanesOf(launch.program, stuck, lastWarpAlike(launch, fault, i, described));
    if (std::string worker = workerOf(launch.program.workers, stuck.warp); !worker.empty())
      who += " of worker " + worker;
    notes.push_back(describeStuck(launch, stuck, who));
  }
  bool isAtBarrier = false;
  for (const StuckLanes &stuck : fault.stuck) {
    isAtBarrier |= stuck.where == StuckLanes::Where::Mbarrier || stuck.where == StuckLanes::Where::ClusterBarrier ||
                   isAtNamedBarrier(launch, stuck);
    if (stuck.where == StuckLanes::Where::Mbarrier)
      for (Note &note : describeMissing(launch.program, stuck))
        if (llvm::none_of(notes, [&](const Note &other) { return other.text == note.text; }))
          notes.push_back(std::move(note));
  }
  if (uint64_t unbegun = launch.unbegun; unbegun && fault.inLoops && !isAtBarrier)
    notes.push_back({"not started", format("{}: a host thread runs {} at a time", plural(unbegun, "more block"),
                                           plural(BlockSequence::kWindow, "block"))});
  failure.diagnostic.hint = hintFor(launch, fault);
}

} // namespace hocket::emulator
