//===- MessageBuffer.h - What a kernel tells the host, through memory ------------------===//
//
// Where the driver has no printf (AMD), a kernel writes what it prints, and why it stops, into memory that the host
// reads once the kernel has ended:
//
//   byte 0      words reserved among the lines, lines that found no room
//   byte 16     the same of the failures
//   byte 64     lines, one record after the other
//   ..          failures, which have room of their own: many lines must not hide the one that says what went wrong
//
// A record is a row of 64-bit words:
//
//   site | thread << 32,  block x | block y << 32,  block z | words of the record << 32,  then the values
//
// The site is the number of a MessageSite of the kernel. A kernel reserves words by an atomic addition, which may go
// past the end: what does not fit is not written but counted. Memory is zero before the launch, so records end where
// one seems to have no words.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_MESSAGEBUFFER_H
#define HOCKET_SUPPORT_MESSAGEBUFFER_H

#include "support/CompileError.h"

#include <cstdint>
#include <span>

namespace hocket {

struct MessageArea {
  int64_t counters; ///< offset in bytes of the words reserved; 8 bytes on, of what found no room
  int64_t begin;    ///< offset in bytes of the first record
  int64_t words;    ///< for records
};

inline constexpr int64_t kMessageBytes = int64_t(1) << 20; // as much as CUDA's printf has
inline constexpr int64_t kFailureBytes = 4096;
inline constexpr MessageArea kLineArea = {0, 64, (kMessageBytes - kFailureBytes - 64) / 8};
inline constexpr MessageArea kFailureArea = {16, kMessageBytes - kFailureBytes, kFailureBytes / 8};
inline constexpr int64_t kRecordHeaderWords = 3;

/// A place in a kernel that tells the host something.
struct MessageSite {
  std::string format = {}; ///< printf's, of a line after its place; empty for failures
  Diagnostic failure = {}; ///< why a kernel stops here; without a message for lines
  bool showsIndex = false; ///< the failure has a value: what an index should be

  bool isFailure() const { return !failure.message.empty(); }
};

/// What the records of one launch say.
struct Messages {
  std::string lines;    ///< blocks in their order, each line with its end
  std::string failures; ///< the first one, and how many others there are; without a newline at the end
};

/// Reads the buffer of a launch that has ended, kMessageBytes long, and clears it for the next.
Messages takeMessages(std::span<uint64_t> buffer, std::span<const MessageSite> sites, uint32_t warpSize);

/// What is wrong with an index that should be `value`: notes and a hint for `diagnostic`.
void describeIndexValue(Diagnostic &diagnostic, int64_t value);

} // namespace hocket

#endif
