//===- MessageBuffer.h - Messages from kernels to the host, through memory -------------===//
//
// On AMD, where the driver has no printf, a kernel writes printed lines and failures into a buffer that the host reads
// after the kernel has ended:
//
//   byte 0      number of words reserved for lines, number of lines that did not fit
//   byte 16     number of words reserved for failures, number of failures that did not fit
//   byte 64     lines, one record after the other
//   ...         failures, in an area of their own so that many printed lines cannot displace a failure
//
// A record is a sequence of 64-bit words:
//
//   site | thread << 32,  block x | block y << 32,  block z | words of the record << 32,  then the values
//
// The site is the index of a MessageSite of the kernel. A kernel reserves the words of a record by an atomic addition.
// A record that does not fit into its area is counted but not written. The buffer is zero before the launch, so the
// records of an area end at the first record length of zero.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_MESSAGEBUFFER_H
#define HOCKET_SUPPORT_MESSAGEBUFFER_H

#include "support/CompileError.h"

#include <cstdint>
#include <span>

namespace hocket {

struct MessageArea {
  int64_t counters; ///< byte offset of two words: number of reserved words, number of records that did not fit
  int64_t begin;    ///< byte offset of the area's first record
  int64_t words;    ///< size of the area in 64-bit words
};

inline constexpr int64_t kMessageBytes = int64_t(1) << 20; // default size of CUDA's printf buffer
inline constexpr int64_t kFailureBytes = 4096;
inline constexpr MessageArea kLineArea = {0, 64, (kMessageBytes - kFailureBytes - 64) / 8};
inline constexpr MessageArea kFailureArea = {16, kMessageBytes - kFailureBytes, kFailureBytes / 8};
inline constexpr int64_t kRecordHeaderWords = 3;

/// A source location in a kernel at which the kernel prints a line or reports a failure to the host.
struct MessageSite {
  std::string format = {}; ///< printf format of a line, without its prefix (block, warp, lane); empty for failures
  Diagnostic failure = {}; ///< error of a failure at this site; its message is empty if the site prints lines
  bool showsIndex = false; ///< true if the record holds the exact 64-bit value of a wrong index

  bool isFailure() const { return !failure.message.empty(); }
};

/// Text of the printed lines and of the failures of one launch.
struct Messages {
  std::string lines;    ///< printed lines, sorted by block; each ends with a newline
  std::string failures; ///< text of the first failure and number of other failures; no trailing newline
};

/// Decodes the message buffer of a finished launch, which has kMessageBytes bytes, and clears the buffer for the next
/// launch.
Messages takeMessages(std::span<uint64_t> buffer, std::span<const MessageSite> sites, uint32_t warpSize);

/// Adds a note to `diagnostic` that shows the index `value`. If `value` does not fit into 32 bits, the note also shows
/// its low 32 bits, and a hint recommends to compute the index in 64 bits.
void describeIndexValue(Diagnostic &diagnostic, int64_t value);

} // namespace hocket

#endif
