//===- AmdMemory.cpp - Memory access on CDNA: descriptors, cache policies, copies ----===//
#include "target/AmdMemory.h"

namespace hocket {

/// Sets the descriptor fields NUM_FORMAT (bits 12 to 14) to float and DATA_FORMAT (bits 15 to 18) to 32 bits. Only
/// typed buffer accesses read these fields, but a DATA_FORMAT of 0 would make the descriptor invalid.
static constexpr uint32_t kBufferFlags = 7u << 12 | 4u << 15;
/// The cache policy bits sc0, sc1 and nt, as in the "auxiliary" operand of LLVM's buffer intrinsics.
static constexpr uint32_t kScope0 = 1u << 0, kScope1 = 1u << 4, kNonTemporal = 1u << 1;

// Sizes in bytes per lane of copies from global memory directly into LDS. The hardware can also copy 1 and 2 bytes per
// lane (CDNA3) and 12 bytes per lane (CDNA4), but the lowerings emit only sizes that are powers of two and at least 4.
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
