//===- Float4.h - Pairs of 4-bit floats (e2m1) in bytes, and scales (e8m0) ---------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FLOAT4_H
#define HOCKET_FRONTEND_SEMANTICS_FLOAT4_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Unpacks bytes into float32 values. Each byte holds two e2m1 floats that are adjacent along `axis`, the first float
/// in the low half. The result is twice as long along `axis`. Both elements of a byte are in one lane, in consecutive
/// registers.
Runtime unpackFloat4(Emitter &e, const Runtime &bytes, int64_t axis);

/// Returns 2^(s - 127) as float32 for bytes s; NaN for 255.
Runtime decodeScale(Emitter &e, const Runtime &exponents);

} // namespace hocket::frontend

#endif
