//===- DescribeAccess.h - Descriptions of accesses for messages of faults -----------===//
#ifndef HOCKET_EMULATOR_FAULTS_DESCRIBEACCESS_H
#define HOCKET_EMULATOR_FAULTS_DESCRIBEACCESS_H

#include "emulator/faults/Fault.h"
#include "emulator/run/EmulatedLaunch.h"

#include "llvm/Support/FormatVariadic.h"

namespace hocket::emulator {

template <typename... Values>
std::string format(const char *text, Values &&...values) {
  return llvm::formatv(text, std::forward<Values>(values)...).str();
}

size_t elementBytes(const std::string &dtype);

/// Returns a count with its noun, such as "1 byte" or "2 bytes".
std::string plural(uint64_t count, const std::string &noun);

/// Returns the text for a range of `count` indices: "5" for one index, "4 to 7" for a vector.
std::string indexRange(int64_t first, int64_t count);

/// Returns the index of the argument that an access presumably refers to: the parameter of the site if it is known,
/// otherwise the array that contains `address` or is nearest to it. Returns -1 if no array is near.
int argumentOf(const EmulatedLaunch &launch, const Site &site, uint64_t address);

/// Returns a description of an access, such as "read of `x`".
std::string accessNoun(host_abi::SiteKind kind, const std::string &array);

/// Returns "line 7", or "other.py:7" if the line is not in the file that the message names.
std::string lineOf(const Diagnostic &place, const Diagnostic &message);

/// Returns the location of a byte in each buffer that contains the byte, such as "byte 128 of `a_smem`".
std::string describeOffset(const Program &program, uint64_t offset);

/// Returns a text such as ", in stage "load"" if the site is in a stage of a warp pipeline; otherwise "". `where` is
/// the preposition: "in", or "after" for a barrier between stages.
std::string stageOf(const Site &site, const char *where = "in");

/// Returns the name of a warp, such as "warp 1" or "warp 4 of worker `load`".
std::string warpName(const Program &program, uint32_t warp);

/// Returns the location of the failing lane, such as "block (0, 0, 0), warp 1, lane 2", followed by the stage if `site`
/// is in a stage of a warp pipeline.
std::string placeOf(const EmulatedLaunch &launch, const Failure &failure, const Site &site);

/// Returns the hint for a kernel that accesses the data of a copy without a wait at the copy's mbarrier.
std::string hintForCopy();

} // namespace hocket::emulator

#endif
