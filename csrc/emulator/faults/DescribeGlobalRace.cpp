//===- DescribeGlobalRace.cpp - Writes the message for a race in global memory ----------------===//
//
//   kernels/sum.py:12:5: error: write to `out` races with a write by another block
//     index:    0
//     address:  0x7f52a8c41000, 4 bytes
//     at:       block (1, 0, 0), warp 0, lane 0
//     other:    write in line 12, block (0, 0, 0), warp 0, lane 0
//     hint:     give each block elements of its own, or combine their values by atomics
//
//===------------------------------------------------------------------------------===//
#include "emulator/faults/DescribeGlobalRace.h"

#include "emulator/faults/DescribeAccess.h"

namespace hocket::emulator {

using host_abi::SiteKind;

static std::string nounOf(AccessKind kind, const Site *site) {
  if (site && site->kind == SiteKind::Atomic)
    return "an atomic access";
  return kind == AccessKind::Read ? "a read" : kind == AccessKind::Write ? "a write" : "an atomic access";
}

/// Returns a description of the other access of a race, such as "write to `y` in line 12, block (0, 0, 0), warp 0, lane
/// 0". The description contains the array and the file only if the reported access is of another array or in another
/// file.
static std::string otherOf(const EmulatedLaunch &launch, const Failure &failure, const OtherAccess &other) {
  const Site *site = other.site ? &launch.program.sites[*other.site] : nullptr;
  std::string text = nounOf(other.kind, site);
  text.erase(0, text.find(' ') + 1);
  if (int argument = site ? argumentOf(launch, *site, failure.address) : -1; argument >= 0)
    if (const auto &name = arrayOf(launch.arguments[size_t(argument)])->name; name != failure.array)
      text = accessNoun(site->kind, name);
  if (site && site->diagnostic.line > 0) {
    text += format(" in line {}", site->diagnostic.line);
    if (site->diagnostic.file != failure.diagnostic.file)
      text += " of " + displayPath(site->diagnostic.file);
  }
  Grid block = launch.blockIndex(other.block);
  if (block != failure.block)
    text += format(", block ({}, {}, {})", block[0], block[1], block[2]);
  if (other.warp)
    text += ", " + warpName(launch.program, *other.warp);
  if (other.thread)
    text += format(", lane {}", *other.thread % launch.program.warpSize());
  if (site)
    text += stageOf(*site);
  return text;
}

/// True if the two accesses are by warps of one block that run different partitions.
static bool arePartitions(const Program &program, const Failure &failure, const OtherAccess &other) {
  return other.warp && workerOf(program.workers, uint32_t(failure.warp)) != workerOf(program.workers, *other.warp);
}

/// Returns the hint for a race between two warps of one block.
static std::string hintInBlock(const Site &site, const Site *other, AccessKind otherKind) {
  if (!site.stage.empty() && other && !other->stage.empty())
    return "nothing orders global memory between the stages of a warp pipeline: exchange values through shared memory";
  if (site.kind == SiteKind::Atomic || otherKind == AccessKind::Atomic)
    return "make both accesses atomic, or put gl.barrier() between the two";
  if (site.kind == SiteKind::Write && otherKind == AccessKind::Write)
    return "give each lane its own elements, combine values by atomics, or put gl.barrier() between the two";
  if (other && other->diagnostic.line == site.diagnostic.line && other->diagnostic.file == site.diagnostic.file)
    return "warps reach this line at different times: load into a variable, put gl.barrier() after it, then store";
  return "put gl.barrier() between the two";
}

static std::string hintOf(const Site &site, const Site *other, AccessKind otherKind) {
  if ((site.kind == SiteKind::Atomic && site.blockScope) ||
      (other && other->kind == SiteKind::Atomic && other->blockScope))
    return "an atomic of the scope \"cta\" is atomic for the threads of its block only: widen it to \"gpu\"";
  if (site.kind == SiteKind::Atomic || otherKind == AccessKind::Atomic)
    return "make both accesses atomic, or order the blocks by a release and an acquire atomic between them";
  if (site.kind == SiteKind::Write && otherKind == AccessKind::Write)
    return "give each block elements of its own, or combine their values by atomics";
  return "read data of an earlier launch, or order the blocks by a release and an acquire atomic between them";
}

/// Writes message and hint for a bulk copy that lacks a proxy fence, or for an access of memory that a bulk store may
/// still write.
static void describeAsyncRace(const Site &site, const Site &other, OtherAccess::Order order, Failure &failure) {
  Diagnostic &diagnostic = failure.diagnostic;
  std::string access = accessNoun(site.kind, failure.array), line = lineOf(other.diagnostic, diagnostic);
  if (order == OtherAccess::Order::InFlight) {
    diagnostic.message = access + " while the bulk store of " + line + " may still write it";
    diagnostic.hint = "wait until the store has also written: tma.store_wait(n, read_only=False)";
    return;
  }
  diagnostic.message = access + " by a bulk copy, without a proxy fence after the write of " + line +
                       (site.kind == SiteKind::Read ? ", which it may not see" : ", which may take effect after it");
  diagnostic.hint = "the compiler inserts the fence only if it can see that both may access one array: make the "
                    "descriptor from the pointer that is stored through";
}

void describeGlobalRace(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  const Site &site = launch.program.sites[fault.site];
  const Site *other = fault.other->site ? &launch.program.sites[*fault.other->site] : nullptr;
  std::vector<Note> &notes = failure.diagnostic.notes;
  if (int number = argumentOf(launch, site, fault.address); number >= 0) {
    const auto &array = *arrayOf(launch.arguments[size_t(number)]);
    auto width = int64_t(elementBytes(array.dtype));
    failure.array = array.name;
    failure.index = llvm::divideFloorSigned(int64_t(fault.address - reinterpret_cast<uintptr_t>(array.data)), width);
    notes.push_back({"index", indexRange(failure.index, fault.bytes / width)});
  }
  notes.push_back({"address", format("{:x}, {}", fault.address, plural(fault.bytes, "byte"))});
  notes.push_back({"at", placeOf(launch, failure, site)});
  notes.push_back({"other", otherOf(launch, failure, *fault.other)});
  if (other && fault.other->order != OtherAccess::Order::None)
    return describeAsyncRace(site, *other, fault.other->order, failure);
  bool isInBlock = fault.other->block == fault.block;
  failure.diagnostic.message = accessNoun(site.kind, failure.array) + " races with " +
                               nounOf(fault.other->kind, other) +
                               (isInBlock ? " by another warp" : " by another block");
  failure.diagnostic.hint = isInBlock && arePartitions(launch.program, failure, *fault.other)
                                ? "gl.barrier() waits for the warps of its own partition only: put an mbarrier or a "
                                  "named barrier between the two accesses, or end warp_specialize between them"
                                : (isInBlock ? hintInBlock : hintOf)(site, other, fault.other->kind);
}

} // namespace hocket::emulator
