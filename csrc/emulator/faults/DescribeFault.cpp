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
#include "emulator/faults/DescribeDeadlock.h"
#include "emulator/faults/DescribeGlobalRace.h"
#include "emulator/faults/DescribeMbarrier.h"
#include "emulator/faults/DescribeSharedRace.h"
#include "emulator/faults/DescribeTensorCopy.h"
#include "support/MessageBuffer.h"

#include "llvm/ADT/STLExtras.h"

namespace hocket::emulator {

using host_abi::SiteKind;

/// Returns the strides of an array in elements: "(2, 1)".
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
              ? "mask the access; if its address was read from memory, also pass the array at this address"
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

static void describeIndex(const Site &site, Failure &failure) {
  failure.diagnostic.message = site.message;
  describeIndexValue(failure.diagnostic, int64_t(failure.address));
}

static void describeArrivalAgain(const Program &program, const Site &site, const BlockFault &fault, Failure &failure) {
  std::string name = site.message.empty() ? "the barrier" : site.message;
  failure.diagnostic.message = format("a warp arrives again at {} before its phase is complete", name);
  failure.diagnostic.notes.push_back(
      {"arrived", format("{} of {} warps", fault.arrived / program.warpSize(), fault.expected / program.warpSize())});
  failure.diagnostic.hint = "each warp may arrive once per phase: let it wait, at this or another barrier, until the "
                            "other warps have arrived";
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
      failure.diagnostic.hint = "all lanes of the warpgroup must execute it with the same operands: move it out of "
                                "branches that only some of them take";
      break;
    }
    failure.diagnostic.message = "the lanes of a warp name different destinations for one copy to shared memory";
    failure.diagnostic.notes.push_back({"offset", std::to_string(fault.address)});
    failure.diagnostic.hint = "the destination must be the same in all lanes: lane i writes i copy widths after it";
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
            ? "store to all of its elements before reading them"
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
