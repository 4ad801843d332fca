//===- PrintedLine.h - Formatting of lines printed by kernels -------------------------===//
#ifndef HOCKET_SUPPORT_PRINTEDLINE_H
#define HOCKET_SUPPORT_PRINTEDLINE_H

#include <cstdint>
#include <string>

namespace hocket {

/// Returns `format`, a printf format, with its directives replaced by `values`. Each directive in `format` is "%%" or
/// ends with one of the letters d, u, x and g. Each value has 64 bits; the values for "%g" and "%.12g" are doubles.
std::string formatPrinted(const std::string &format, const uint64_t *values);

/// Returns the prefix of a printed line, which names the thread, such as "block (0, 0, 0), warp 1, lane 2".
std::string printedThread(const uint32_t block[3], uint32_t warp, uint32_t lane);

} // namespace hocket

#endif
