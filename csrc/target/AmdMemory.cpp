//===- AmdMemory.cpp - Memory access on CDNA: descriptors, cache policies, copies ----===//
#include "target/AmdMemory.h"

namespace hocket {

/// NUM_FORMAT (bits 12..14) = float, DATA_FORMAT (bits 15..18) = 32: only typed accesses read them, but 0 would make
/// the descriptor invalid.
static constexpr uint32_t kBufferFlags = 7u << 12 | 4u << 15;
/// The bits sc0, sc1 and nt at their positions in LLVM's "auxiliary" operand.
static constexpr uint32_t kScope0 = 1u << 0, kScope1 = 1u << 4, kNonTemporal = 1u << 1;

// CDNA3 also copies 1 and 2 bytes per lane, CDNA4 also 12; the lowerings emit powers of two of at least 4.
static constexpr int kCdna3DirectBytes[] = {4};
static constexpr int kCdna4DirectBytes[] = {4, 16};

constexpr AmdMemory kCdna3Memory{.bufferFlags = kBufferFlags,
                                 .scope0 = kScope0,
                                 .scope1 = kScope1,
                                 .nonTemporal = kNonTemporal,
                                 .directToSharedBytes = kCdna3DirectBytes,
                                 .hasBufferPairAddBf16 = false,
                                 .hasTransposedReads = false};

constexpr AmdMemory kCdna4Memory{.bufferFlags = kBufferFlags,
                                 .scope0 = kScope0,
                                 .scope1 = kScope1,
                                 .nonTemporal = kNonTemporal,
                                 .directToSharedBytes = kCdna4DirectBytes,
                                 .hasBufferPairAddBf16 = true,
                                 .hasTransposedReads = true};

} // namespace hocket
