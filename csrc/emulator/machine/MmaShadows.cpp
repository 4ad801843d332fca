//===- MmaShadows.cpp - Finds undefined results of MFMA and mma.sync -----------===//
#include "emulator/machine/MmaShadows.h"

#include "emulator/machine/MatrixIndices.h"

#include <algorithm>
#include <cstring>

namespace hocket::emulator {

using host_abi::MatrixFormats;
using host_abi::MatrixOperation;
using host_abi::MatrixRow;
using host_abi::MatrixStep;

/// True if any of the `width` bits that start at bit `first` is set.
static bool isAnySet(const std::byte *bits, unsigned first, unsigned width) {
  for (unsigned bit = first; bit < first + width; ++bit)
    if (std::to_integer<unsigned>(bits[bit / 8]) >> bit % 8 & 1)
      return true;
  return false;
}

/// Calls `mark` with the matrix index of each undefined element of the operand at `offset`.
template <typename Mark>
static void forEachUndefined(const WaveOperands &lanes, uint32_t offset, unsigned width, const ElementIndices &indices,
                             Mark mark) {
  unsigned perLane = unsigned(indices.size() / lanes.size());
  const uint16_t *index = indices.of.data();
  static constexpr std::byte kDefined[32] = {};
  for (const std::byte *lane : lanes) {
    bool isDefined = std::memcmp(lane + offset, kDefined, (perLane * width + 7) / 8) == 0;
    for (unsigned i = 0; i < perLane && !isDefined; ++i)
      if (isAnySet(lane + offset, i * width, width))
        mark(index[i]);
    index += perLane;
  }
}

static void multiplyShadows(const MatrixOperation &operation, const MatrixStep &step, const WaveOperands &lanes) {
  // `rows` marks the rows of A with an undefined element, by block and row. `columns` marks the columns of B with an
  // undefined element, by block and column. The k coordinate of an undefined element has no effect on the result.
  constexpr unsigned kMost = 64;
  bool rows[kMost] = {}, columns[kMost] = {};
  const MatrixIndices &indices = indicesOf(operation);
  MatrixFormats formats = MatrixFormats::decode(step.formats);
  unsigned m = operation.m, n = operation.n, k = operation.k;
  forEachUndefined(lanes, step.a, bitsOf(formats.a), indices.a, [&](unsigned index) { rows[index / k] = true; });
  forEachUndefined(lanes, step.b, bitsOf(formats.b), indices.b,
                   [&](unsigned index) { columns[index / (k * n) * n + index % n] = true; });
  for (unsigned lane = 0; lane < lanes.size() && operation.isScaled; ++lane) {
    rows[lane % m] |= isAnySet(lanes[lane] + step.scaleA, 0, 32);
    columns[lane % n] |= isAnySet(lanes[lane] + step.scaleB, 0, 32);
  }
  unsigned bytes = bitsOf(operation.c) / 8, perLane = operation.resultsPerLane();
  for (unsigned i = 0; i < lanes.size() * perLane; ++i) {
    unsigned index = indices.c.of[i], block = index / (m * n);
    std::byte *shadow = lanes[i / perLane] + step.c + i % perLane * bytes;
    bool isUndefined = rows[index / n] || columns[block * n + index % n] || isAnySet(shadow, 0, bytes * 8);
    std::fill_n(shadow, bytes, isUndefined ? std::byte{0xff} : std::byte{0});
  }
}

void multiplyMmaShadows(const MatrixRow &row, const WaveOperands &lanes) {
  for (const MatrixStep &step : row)
    multiplyShadows(host_abi::matrixOperations()[row.operation], step, lanes);
}

} // namespace hocket::emulator
