//===- MatrixShadows.cpp - Undefined results of MFMA and mma.sync instructions -----------===//
#include "emulator/machine/MatrixShadows.h"

#include "emulator/machine/MatrixPlaces.h"

#include <algorithm>
#include <cstring>

namespace hocket::emulator {

using host_abi::MatrixFormats;
using host_abi::MatrixOperation;
using host_abi::MatrixRow;
using host_abi::MatrixStep;

/// True if one of the `width` bits from `first` on is set.
static bool isAnySet(const std::byte *bits, unsigned first, unsigned width) {
  for (unsigned bit = first; bit < first + width; ++bit)
    if (std::to_integer<unsigned>(bits[bit / 8]) >> bit % 8 & 1)
      return true;
  return false;
}

/// Calls `mark` with the matrix index of each undefined element that lanes have at `offset`.
template <typename Mark>
static void forEachUndefined(const WaveOperands &lanes, uint32_t offset, unsigned width, const Places &places,
                             Mark mark) {
  unsigned perLane = unsigned(places.size() / lanes.size());
  const uint16_t *place = places.of.data();
  static constexpr std::byte kDefined[32] = {};
  for (const std::byte *lane : lanes) {
    bool isDefined = std::memcmp(lane + offset, kDefined, (perLane * width + 7) / 8) == 0;
    for (unsigned i = 0; i < perLane && !isDefined; ++i)
      if (isAnySet(lane + offset, i * width, width))
        mark(place[i]);
    place += perLane;
  }
}

static void multiplyShadows(const MatrixOperation &operation, const MatrixStep &step, const WaveOperands &lanes) {
  // Undefined rows by block and row, and columns by block and column. The k of an element does not matter.
  constexpr unsigned kMost = 64;
  bool rows[kMost] = {}, columns[kMost] = {};
  const MatrixPlaces &places = placesOf(operation);
  MatrixFormats formats = MatrixFormats::decode(step.formats);
  unsigned m = operation.m, n = operation.n, k = operation.k;
  forEachUndefined(lanes, step.a, bitsOf(formats.a), places.a, [&](unsigned place) { rows[place / k] = true; });
  forEachUndefined(lanes, step.b, bitsOf(formats.b), places.b,
                   [&](unsigned place) { columns[place / (k * n) * n + place % n] = true; });
  for (unsigned lane = 0; lane < lanes.size() && operation.isScaled; ++lane) {
    rows[lane % m] |= isAnySet(lanes[lane] + step.scaleA, 0, 32);
    columns[lane % n] |= isAnySet(lanes[lane] + step.scaleB, 0, 32);
  }
  unsigned bytes = bitsOf(operation.c) / 8, perLane = operation.resultsPerLane();
  for (unsigned i = 0; i < lanes.size() * perLane; ++i) {
    unsigned place = places.c.of[i], block = place / (m * n);
    std::byte *shadow = lanes[i / perLane] + step.c + i % perLane * bytes;
    bool isUndefined = rows[place / n] || columns[block * n + place % n] || isAnySet(shadow, 0, bytes * 8);
    std::fill_n(shadow, bytes, isUndefined ? std::byte{0xff} : std::byte{0});
  }
}

void multiplyMatrixShadows(const MatrixRow &row, const WaveOperands &lanes) {
  for (const MatrixStep &step : row)
    multiplyShadows(host_abi::matrixOperations()[row.operation], step, lanes);
}

} // namespace hocket::emulator
