//===- PrintedLine.h - Lines that kernels print, as text ------------------------------===//
#ifndef HOCKET_SUPPORT_PRINTEDLINE_H
#define HOCKET_SUPPORT_PRINTEDLINE_H

#include <cstdint>
#include <string>

namespace hocket {

/// `format` of printf with its directives, which end in a letter of "duxg" or are "%%", replaced. Values have 64 bits
/// each; those of "%g" and "%.12g" are doubles.
std::string formatPrinted(const std::string &format, const uint64_t *values);

/// How a line begins: "block (0, 0, 0), warp 1, lane 2".
std::string printedPlace(const uint32_t block[3], uint32_t warp, uint32_t lane);

} // namespace hocket

#endif
