//===- DescribeFault.cpp - Writes the message for a fault ------------------------------------===//
//
//   kernels/add.py:12:9: error: out-of-bounds read of `x`
//     index:    98432, but `x` has 98432 elements of float32
//     address:  0x7f52a8c41000, 4 bytes
//     at:       block (96, 0, 0), warp 1, lane 0
//     hint:     mask the access, or pass an array that is large enough
//
//===------------------------------------------------------------------------------===//
#include "emulator/faults/DescribeFault.h"

#include "emulator/faults/DescribeAccess.h"
#include "emulator/faults/DescribeGlobalRace.h"
#include "emulator/faults/DescribeMbarrier.h"
#include "emulator/faults/DescribeSharedRace.h"
#include "support/MessageBuffer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <cstring>

namespace hocket::emulator {

using host_abi::SiteKind;

/// Returns "(2, 1)", in elements.
static std::string stridesOf(const ArrayArgument &array) {
  std::string strides;
  for (const ArrayDimension &dimension : array.dimensions)
    strides +=
        format("{0}{1}", strides.empty() ? "" : ", ", dimension.strideBytes / int64_t(elementBytes(array.dtype)));
  return format("({0}{1})", strides, array.dimensions.size() == 1 ? "," : "");
}

static void describeGlobal(const EmulatedLaunch &launch, const Site &site, Failure &failure) {
  std::vector<Note> &notes = failure.diagnostic.notes;
  int number = argumentOf(launch, site, failure.address);
  bool isInGap = false;
  std::string problem = failure.kind == FailureKind::Misaligned ? "misaligned " : "out-of-bounds ";
  if (number >= 0) {
    const auto &array = *arrayOf(launch.arguments[size_t(number)]);
    auto width = int64_t(elementBytes(array.dtype));
    int64_t offset = int64_t(failure.address - reinterpret_cast<uintptr_t>(array.data));
    failure.array = array.name;
    failure.index = offset >= 0 ? offset / width : -((-offset + width - 1) / width);
    std::string index = indexRange(failure.index, int64_t(site.bytes) / width);
    size_t elements = array.bytes / size_t(width), before = array.bytesBefore / size_t(width);
    isInGap =
        failure.kind == FailureKind::OutOfBounds && launch.arrays[size_t(number)].spans(failure.address, site.bytes);
    if (isInGap)
      index += format(" in memory, but `{}` is a view whose strides are {}", array.name, stridesOf(array));
    else if (failure.kind == FailureKind::OutOfBounds && before > 0)
      index += format(", but `{}` reaches from {} to {}", array.name, -int64_t(before), int64_t(elements) - 1);
    else if (failure.kind == FailureKind::OutOfBounds)
      index += format(", but `{}` has {} of {}", array.name, plural(elements, "element"), array.dtype);
    notes.push_back({"index", index});
  }
  std::string address = format("{:x}, {}", failure.address, plural(site.bytes, "byte"));
  if (failure.kind == FailureKind::Misaligned)
    address += format("; it must be a multiple of {}", site.alignment);
  notes.push_back({"address", address});
  failure.diagnostic.message = problem + accessNoun(site.kind, failure.array);
  switch (failure.kind) {
  case FailureKind::ReadOnly:
    failure.diagnostic.message = accessNoun(site.kind, failure.array) + ", which is read-only";
    break;
  case FailureKind::OutOfBounds:
    if (failure.address < 4096 && failure.array.empty())
      failure.diagnostic.message = accessNoun(site.kind, "") + ": the pointer is null";
    else if (isInGap) {
      failure.diagnostic.message = accessNoun(site.kind, failure.array) + " between its elements";
      failure.diagnostic.hint = "pass the strides and multiply each index by its own, or pass a contiguous copy";
    } else
      failure.diagnostic.hint =
          failure.array.empty()
              ? "mask the access; if its address was read from memory, pass the array that lies there, too"
              : "mask the access, or pass an array that is large enough";
    break;
  default:
    failure.diagnostic.hint = "the pointer is not aligned as promised, or an offset breaks the promise";
  }
}

static void describeShared(const EmulatedLaunch &launch, const Site &site, Failure &failure) {
  failure.array = "shared memory";
  std::string problem = failure.kind == FailureKind::Misaligned ? "misaligned " : "out-of-bounds ";
  failure.diagnostic.message = problem + accessNoun(site.kind, failure.array);
  uint64_t ofBlock = failure.warp / launch.program.warpsOfCta() * launch.program.sharedBytesOfCta();
  std::string offset = format("{}, {}", int64_t(failure.address - ofBlock), plural(site.bytes, "byte"));
  offset += failure.kind == FailureKind::Misaligned
                ? format("; it must be a multiple of {}", site.bytes)
                : format("; the block has {} of shared memory", plural(launch.program.sharedBytesUsed, "byte"));
  failure.diagnostic.notes.push_back({"offset", offset});
}

/// Describes a bad TMA coordinate in the user's numbering of dimensions: the outermost is 0.
static void describeCoordinate(const Site &site, const BlockFault &fault, Failure &failure) {
  if (fault.range) {
    bool isOffset = fault.range->isOfOffset;
    failure.diagnostic.message =
        format("an im2col load {} {} in dimension {}, {} {} to {}", isOffset ? "has offset" : "begins at",
               fault.coordinate, fault.rank - 1 - fault.dim, isOffset ? "which is not" : "outside of the pixel box",
               fault.range->first, fault.range->last);
    failure.diagnostic.hint =
        isOffset ? "offsets are taps of a filter; use pixel_box_lower_corner to reach pixels before the tensor"
                 : "coordinates are those of the first pixel; taps of the filter, which may lie outside, are offsets";
    return;
  }
  bool isLoad = site.kind == host_abi::SiteKind::TensorLoad;
  std::string begins = format("a bulk {} begins at {} in dimension {}", isLoad ? "load" : "store", fault.coordinate,
                              fault.rank - 1 - fault.dim);
  if (fault.multiple) {
    failure.diagnostic.message = begins + format(", which is not a multiple of {} elements", fault.multiple);
    failure.diagnostic.hint = "TMA moves pieces of 16 bytes: in the last dimension blocks begin at multiples of these";
    return;
  }
  failure.diagnostic.message = begins + ", before the tensor";
  failure.diagnostic.hint =
      "only loads may begin before the tensor; a store skips elements of a block past the tensor's end";
}

static void describeDescriptor(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  using host_abi::TensorMapField;
  Diagnostic &diagnostic = failure.diagnostic;
  if (!fault.field) {
    const Site &copy = launch.program.sites[*fault.other->site];
    diagnostic.message =
        format("the descriptor is overwritten while a bulk {} with the previous one is still in flight",
               copy.kind == SiteKind::TensorLoad ? "load" : "store");
    diagnostic.notes.push_back({"copy", format("line {}", copy.diagnostic.line)});
    diagnostic.hint =
        "each call of make_tensor_descriptor has one buffer: wait for the copies before the next iteration";
    return;
  }
  int64_t value = fault.coordinate;
  uint32_t dimension = fault.rank - 1 - fault.dim;
  switch (*fault.field) {
  case TensorMapField::Address:
    diagnostic.message = format("the address of a descriptor's tensor, {:x}, is not a multiple of 16 bytes", value);
    diagnostic.hint = "describe the whole array, and add to the coordinates of copies";
    return;
  case TensorMapField::Size:
    diagnostic.message = format("a descriptor's tensor has size {} in dimension {}", int32_t(value), dimension);
    diagnostic.hint = "sizes are 1 to 2^31 - 1; make no descriptor, and copy nothing, where there is nothing";
    return;
  default:
    diagnostic.message = format("a descriptor's tensor has a stride of {} bytes in dimension {}", value, dimension - 1);
    diagnostic.hint = "strides are multiples of 16 bytes, and less than 2^40";
  }
}

static void describeIndex(const Site &site, Failure &failure) {
  failure.diagnostic.message = site.message;
  describeIndexValue(failure.diagnostic, int64_t(failure.address));
}

/// Returns "warp 2", or "warps 0-3 of block 1".
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

/// Returns ", where `flag`[0] is 0" for an element of an array.
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

static void describeArrivalAgain(const Program &program, const Site &site, const BlockFault &fault, Failure &failure) {
  std::string name = site.message.empty() ? "the barrier" : site.message;
  failure.diagnostic.message = format("a warp arrives again at {} before it has opened", name);
  failure.diagnostic.notes.push_back(
      {"arrived", format("{} of {} warps", fault.arrived / program.warpSize(), fault.expected / program.warpSize())});
  failure.diagnostic.hint =
      "each warp arrives once for each opening: let it wait, at this or another barrier, until the "
      "others have come";
}

static void describeDeadlock(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  auto &notes = failure.diagnostic.notes;
  failure.diagnostic.message = fault.inLoops ? "endless loop: lanes wait for values that never come"
                                             : "deadlock: lanes wait for others that never arrive";
  notes.push_back({"at", format("block ({}, {}, {})", failure.block[0], failure.block[1], failure.block[2])});
  std::vector<bool> told(fault.stuck.size());
  for (size_t i = 0; i < fault.stuck.size(); ++i) {
    if (told[i])
      continue;
    const StuckLanes &stuck = fault.stuck[i];
    uint32_t lastWarp = stuck.warp;
    const std::vector<Worker> &workers = launch.program.workers;
    uint32_t ofBlock = launch.program.warpsOfCta();
    auto isOfSameWorker = [&](uint32_t warp) {
      return workerOf(workers, warp) == workerOf(workers, stuck.warp) && warp / ofBlock == stuck.warp / ofBlock;
    };
    for (size_t j = i + 1; j < fault.stuck.size(); ++j) {
      const StuckLanes &other = fault.stuck[j];
      if (other.where == stuck.where && other.site == stuck.site && other.lanes == stuck.lanes &&
          other.address == stuck.address && other.warp == lastWarp + 1 && isOfSameWorker(other.warp)) {
        told[j] = true;
        lastWarp = other.warp;
      }
    }
    std::string who = lanesOf(launch.program, stuck, lastWarp);
    if (std::string worker = workerOf(workers, stuck.warp); !worker.empty())
      who += " of worker " + worker;
    const Site &site = launch.program.sites[stuck.site];
    switch (stuck.where) {
    case StuckLanes::Where::Finished:
      notes.push_back({"finished", who});
      break;
    case StuckLanes::Where::Loop:
      notes.push_back({"waiting", format("{} in a loop over line {}{}{}", who, site.diagnostic.line, stageOf(site),
                                         valueAt(launch, site, stuck.address))});
      break;
    case StuckLanes::Where::Mbarrier:
      notes.push_back({"waiting", format("{} {}", who, describeWaiting(launch.program, stuck))});
      break;
    case StuckLanes::Where::Barrier:
      if (!site.message.empty()) {
        uint32_t warpSize = launch.program.warpSize();
        notes.push_back({"waiting", format("{} at {} in line {}, where {} of {} warps have arrived", who, site.message,
                                           site.diagnostic.line, stuck.arrived / warpSize, stuck.expected / warpSize)});
        break;
      }
      notes.push_back({"waiting", format("{} at the barrier in line {}{}, where {} of {} threads have arrived", who,
                                         site.diagnostic.line, stageOf(site, "after"), stuck.arrived, stuck.expected)});
      break;
    case StuckLanes::Where::ClusterBarrier:
      notes.push_back({"waiting", format("{} at the cluster's barrier in line {}, where {} of {} threads have arrived",
                                         who, site.diagnostic.line, stuck.arrived, stuck.expected)});
      break;
    case StuckLanes::Where::Shuffle:
      notes.push_back({"waiting", format("{} at the shuffle in line {}{}, where {} of {} lanes have arrived", who,
                                         site.diagnostic.line, stageOf(site), stuck.arrived, stuck.expected)});
      break;
    }
  }
  for (const StuckLanes &stuck : fault.stuck)
    if (stuck.where == StuckLanes::Where::Mbarrier)
      for (Note &note : describeMissing(launch.program, stuck))
        if (llvm::none_of(notes, [&](const Note &told) { return told.text == note.text; }))
          notes.push_back(std::move(note));
  bool isAtMbarrier =
      llvm::any_of(fault.stuck, [](const StuckLanes &stuck) { return stuck.where == StuckLanes::Where::Mbarrier; });
  if (isAtMbarrier) {
    failure.diagnostic.hint =
        "a phase completes after the arrivals that init counts and the bytes that expect names; wait for "
        "phases 0, 1, 2, ... in order (their parity counts)";
  } else if (llvm::any_of(fault.stuck,
                          [](const StuckLanes &stuck) { return stuck.where == StuckLanes::Where::ClusterBarrier; })) {
    failure.diagnostic.hint = "all threads of all blocks of the cluster arrive at its barrier, then all wait";
  } else if (llvm::any_of(fault.stuck, [&](const StuckLanes &stuck) { return isAtNamedBarrier(launch, stuck); })) {
    failure.diagnostic.hint =
        "each round of a named barrier takes the number of warps that allocate counts; the first one "
        "allocated is number 0";
  } else if (!fault.inLoops) {
    failure.diagnostic.hint = "barriers and reductions must be reached by all warps alike";
  } else if (uint64_t unbegun = launch.unbegun) {
    notes.push_back({"to begin", format("{}: a host thread runs {} side by side", plural(unbegun, "more block"),
                                        plural(BlockSequence::kWindow, "block"))});
    failure.diagnostic.hint =
        "wait only for blocks with lower numbers: others may not begin before this one ends; or launch "
        "with launch_cooperative_grid=True, which runs all blocks at once";
  } else {
    failure.diagnostic.hint = "no other thread can change this value: all blocks have ended, or wait themselves";
  }
}

Failure describe(const EmulatedLaunch &launch, const BlockFault &fault) {
  Failure failure = {.kind = fault.kind,
                     .diagnostic = {},
                     .block = launch.blockIndex(fault.block),
                     .warp = fault.thread / launch.program.warpSize(),
                     .lane = fault.thread % launch.program.warpSize(),
                     .address = fault.address};
  if (fault.kind == FailureKind::Interrupted) {
    failure.diagnostic.message = "the launch was interrupted";
    return failure;
  }
  if (fault.inLoops &&
      llvm::none_of(fault.stuck, [](const StuckLanes &stuck) { return stuck.where == StuckLanes::Where::Loop; })) {
    failure.diagnostic.message = "endless loop: no lane reads or computes anything that could end it";
    failure.diagnostic.notes.push_back(
        {"at", format("block ({}, {}, {})", failure.block[0], failure.block[1], failure.block[2])});
    return failure;
  }
  const Site &site = launch.program.sites[fault.site];
  failure.diagnostic = site.diagnostic;
  switch (fault.kind) {
  case FailureKind::Deadlock:
    describeDeadlock(launch, fault, failure);
    return failure;
  case FailureKind::Race:
    if (fault.conflict)
      describeSharedRace(launch, fault, failure);
    else
      describeGlobalRace(launch, fault, failure);
    return failure;
  case FailureKind::Mbarrier:
    describeMbarrier(launch, fault, failure);
    return failure;
  case FailureKind::NotUniform:
    if (site.kind == SiteKind::SharedOperand) {
      failure.diagnostic.message = "the four warps of a warpgroup do not execute the same wgmma";
      failure.diagnostic.hint = "all lanes of the warpgroup must come to it, with the same operands: put it under no "
                                "branch that only some of them take";
      break;
    }
    failure.diagnostic.message = "the lanes of a warp name different destinations for one copy to shared memory";
    failure.diagnostic.notes.push_back({"offset", std::to_string(fault.address)});
    failure.diagnostic.hint = "the destination must be the same in all lanes: lane i writes i widths after it";
    break;
  case FailureKind::BarrierAgain:
    describeArrivalAgain(launch.program, site, fault, failure);
    break;
  case FailureKind::ClusterBarrier:
    failure.diagnostic.message = fault.address ? "a thread arrives at the cluster's barrier again before it has waited"
                                               : "a thread waits at the cluster's barrier without an arrival";
    failure.diagnostic.hint = "cluster.arrive() and cluster.wait() must alternate, in all threads of the cluster";
    break;
  case FailureKind::EndedBlock:
    failure.diagnostic.message = accessNoun(site.kind, nameOf(launch.program.buffers, fault.address)) +
                                 ", although that block may have ended by then";
    failure.diagnostic.hint = "let blocks wait at the end for those that access their shared memory: cluster.barrier()";
    break;
  case FailureKind::Coordinate:
    describeCoordinate(site, fault, failure);
    break;
  case FailureKind::Descriptor:
    describeDescriptor(launch, fault, failure);
    break;
  case FailureKind::UnfinishedCopy:
    if (site.kind == host_abi::SiteKind::TensorLoad || site.kind == host_abi::SiteKind::RemoteStore) {
      failure.diagnostic.message =
          std::string("the block ends while ") +
          (site.kind == host_abi::SiteKind::TensorLoad ? "a bulk load" : "an asynchronous store") + " still writes " +
          nameOf(launch.program.buffers, fault.address);
      failure.diagnostic.hint = hintForCopy();
      break;
    }
    failure.diagnostic.message =
        "the block ends while a bulk store still reads " + nameOf(launch.program.buffers, fault.address);
    failure.diagnostic.hint = "wait before the end of the kernel: tma.store_wait(0)";
    break;
  case FailureKind::DivisionByZero:
    failure.diagnostic.message = "integer division by zero";
    break;
  case FailureKind::Index:
    describeIndex(site, failure);
    break;
  case FailureKind::Undefined:
    failure.diagnostic.message = site.message;
    failure.diagnostic.notes.push_back({"from", site.from});
    failure.diagnostic.hint =
        site.from.find("other") == std::string::npos
            ? "store to all of it before it is read"
            : "give the load `other`, or select with gl.where(mask, ..., ...) before the value is used";
    break;
  case FailureKind::Assertion:
    failure.diagnostic.message = "device assertion failed" + (site.message.empty() ? "" : ": " + site.message);
    break;
  default:
    if (host_abi::isShared(site.kind))
      describeShared(launch, site, failure);
    else
      describeGlobal(launch, site, failure);
  }
  failure.diagnostic.notes.push_back({"at", placeOf(launch, failure, site)});
  return failure;
}

} // namespace hocket::emulator
