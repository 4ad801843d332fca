//===- DescribeMbarrier.cpp - Writes the message for a misuse of an mbarrier ---------------------===//
//
//   kernels/gemm.py:31:9: error: more arrivals at `empty`[1] than its phase waits for
//     mbarrier:  phase 4 of 2 arrivals (init in line 18), of which 1 is left, but this arrives 2 times
//     at:        block (0, 0, 0), warp 0, lane 0
//     hint:      count in init all arrivals of a phase, or wait for the phase before arriving again
//
//===------------------------------------------------------------------------------===//
#include "emulator/faults/DescribeMbarrier.h"

#include "emulator/faults/DescribeAccess.h"
#include "target/Mbarriers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace hocket::emulator {

/// Returns the name of an mbarrier, such as "`bar`", or "`bars`[1]" for an mbarrier of an array.
static std::string nameOfMbarrier(const Program &program, uint64_t offset) {
  std::string name = nameOf(program.buffers, offset);
  for (const SharedBuffer &buffer : program.buffers)
    if (buffer.name == name && buffer.bytes > kMbarrierBytes)
      return format("{0}[{1}]", name, (offset - buffer.offset) / kMbarrierBytes);
  return name;
}

/// Returns what a phase lacks, such as "1 of 2 arrivals and 4096 bytes".
static std::string describeMissing(uint32_t missing, uint32_t count, int64_t bytes) {
  std::string arrivals =
      missing > count ? plural(missing, "arrival") : format("{0} of {1}", missing, plural(count, "arrival"));
  std::string text = missing ? arrivals : "";
  if (bytes > 0)
    text += (text.empty() ? "" : " and ") + plural(uint64_t(bytes), "byte");
  return text;
}

std::string describeWaiting(const Program &program, const StuckLanes &stuck) {
  const Site &site = program.sites[stuck.site];
  return format("at the mbarrier {0} in line {1}, whose phase {2} lacks {3}", nameOfMbarrier(program, stuck.address),
                site.diagnostic.line, stuck.phase, describeMissing(stuck.missing, stuck.expected, stuck.bytes));
}

std::vector<Note> describeMissing(const Program &program, const StuckLanes &stuck) {
  std::vector<Note> notes;
  auto isHere = [&](const SharedBuffer &buffer) { return buffer.holdsMbarriers && buffer.contains(stuck.address); };
  auto buffer = llvm::find_if(program.buffers, isHere);
  if (buffer == program.buffers.end())
    return notes;
  auto tell = [&](const char *what, const std::vector<std::string> &places, const char *none) {
    notes.push_back({what, places.empty()
                               ? format("{0} {1}", none, buffer->name)
                               : format("at {0}, expected from {1}", buffer->name, llvm::join(places, ", "))});
  };
  if (stuck.missing)
    tell("arrivals", buffer->arrivals, "no line of the kernel arrives at");
  if (stuck.bytes > 0)
    tell("bytes", buffer->copies, "no copy of the kernel completes on");
  return notes;
}

void describeMbarrier(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  const Program &program = launch.program;
  const MbarrierFault &mbarrier = fault.mbarrier;
  const Site &site = program.sites[fault.site];
  Diagnostic &diagnostic = failure.diagnostic;
  failure.array = "shared memory";
  failure.index = int64_t(fault.address);
  std::string name = nameOfMbarrier(program, fault.address);
  std::string line = lineOf(program.sites[mbarrier.otherSite].diagnostic, diagnostic);
  std::string phase = format("phase {0} of {1} (init in {2})", mbarrier.phase, plural(mbarrier.count, "arrival"), line);
  std::vector<Note> &notes = diagnostic.notes;
  switch (mbarrier.mistake) {
  case MbarrierMistake::None:
    break;
  case MbarrierMistake::NotInitialized:
    diagnostic.message = name + " is used as an mbarrier before it is initialized";
    diagnostic.hint = "call mbarrier.init(..., count=...) first";
    break;
  case MbarrierMistake::NotReady:
    diagnostic.message = name + " may not be initialized yet when a copy starts that will arrive at it";
    diagnostic.hint = "synchronize the blocks of the cluster after init: cluster.barrier()";
    break;
  case MbarrierMistake::Invalidated:
    diagnostic.message = name + " is used as an mbarrier after it was invalidated";
    notes.push_back({"other", "invalidated in " + line});
    diagnostic.hint = "invalidate it after its last use, or initialize it again";
    break;
  case MbarrierMistake::InitializedAgain:
    diagnostic.message = name + " is initialized although it is already an initialized mbarrier";
    notes.push_back({"other", "initialized in " + line});
    diagnostic.hint = "call mbarrier.invalidate before its memory is initialized again";
    break;
  case MbarrierMistake::TooManyArrivals:
    diagnostic.message = "more arrivals at " + name + " than its phase waits for";
    notes.push_back(
        {"mbarrier", phase + format(", of which {0} {1} left, but this arrives {2}", mbarrier.pending,
                                    mbarrier.pending == 1 ? "is" : "are", plural(uint64_t(mbarrier.more), "time"))});
    diagnostic.hint = "count all arrivals of a phase in init, or wait for the phase before arriving again";
    break;
  case MbarrierMistake::TooManyBytes:
    diagnostic.message = "copies complete more bytes on " + name + " than its phase expects";
    notes.push_back({"mbarrier", phase + format(", all of which have arrived, and {0} more",
                                                plural(uint64_t(mbarrier.more), "byte"))});
    diagnostic.hint = "expect the sum of the bytes of all copies of the phase";
    break;
  case MbarrierMistake::TooManyExpected:
    diagnostic.message = "a phase of " + name + " expects more bytes than an mbarrier can count";
    notes.push_back({"mbarrier", format("{0}, which expects {1}, but counts up to {2}", phase,
                                        plural(uint64_t(mbarrier.more), "byte"), kMostMbarrierBytes)});
    diagnostic.hint = "use several mbarriers, or wait between the copies";
    break;
  case MbarrierMistake::Overwritten:
    diagnostic.message = "write to memory that is an mbarrier";
    notes.push_back({"offset", describeOffset(program, fault.address)});
    notes.push_back({"other", "initialized in " + line});
    diagnostic.hint = "call mbarrier.invalidate before its memory is used for other data";
    break;
  }
  notes.push_back({"at", placeOf(launch, failure, site)});
}

} // namespace hocket::emulator
