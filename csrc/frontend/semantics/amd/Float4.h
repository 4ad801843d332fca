//===- Float4.h - Pairs of 4-bit floats (e2m1) in bytes, and scales (e8m0) ---------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_FLOAT4_H
#define HOCKET_FRONTEND_SEMANTICS_FLOAT4_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Unpacks bytes that hold two e2m1 floats each, and converts the floats to float32. The floats of a byte are adjacent
/// along `axis`; the first float is in the low half of the byte. The result has twice the size of `bytes` along `axis`.
/// The lane that holds a byte also holds its two floats, in consecutive registers.
Runtime unpackFloat4(Emitter &e, const Runtime &bytes, int64_t axis);

/// Converts e8m0 scales to float32: 2^(s - 127) for a byte s, NaN for s = 255.
Runtime decodeScale(Emitter &e, const Runtime &exponents);

} // namespace hocket::frontend

#endif
