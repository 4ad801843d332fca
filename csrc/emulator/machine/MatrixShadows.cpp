//===- MatrixShadows.cpp - Which results of a matrix product are undefined ---------------===//
#include "emulator/machine/MatrixShadows.h"

#include "emulator/machine/MatrixPlaces.h"

#include <algorithm>
#include <cstring>

namespace hocket::emulator {

using host_abi::MatrixFormats;
using host_abi::MatrixOperands;
using host_abi::MatrixOperation;

/// Is one of the `width` bits from `first` on set?
static bool isAnySet(const std::byte *bits, unsigned first, unsigned width) {
  for (unsigned bit = first; bit < first + width; ++bit)
    if (std::to_integer<unsigned>(bits[bit / 8]) >> bit % 8 & 1)
      return true;
  return false;
}

/// Calls `mark` with the place of each element of `field` that is undefined.
template <typename Mark>
static void forEachUndefined(const WaveOperands &lanes, std::byte (MatrixOperands::*field)[32], unsigned width,
                             const Places &places, Mark mark) {
  unsigned perLane = unsigned(places.size() / lanes.size());
  const uint16_t *place = places.data();
  static constexpr std::byte kDefined[32] = {};
  for (MatrixOperands *lane : lanes) {
    bool isDefined = std::memcmp(lane->*field, kDefined, (perLane * width + 7) / 8) == 0;
    for (unsigned i = 0; i < perLane && !isDefined; ++i)
      if (isAnySet(lane->*field, i * width, width))
        mark(place[i]);
    place += perLane;
  }
}

void multiplyMatrixShadows(const MatrixOperation &operation, MatrixFormats formats, const WaveOperands &lanes) {
  // By block and row, by block and column. Which k an element has does not matter.
  constexpr unsigned kMost = 64;
  bool rows[kMost] = {}, columns[kMost] = {};
  const MatrixPlaces &places = placesOf(operation);
  unsigned m = operation.m, n = operation.n, k = operation.k;
  forEachUndefined(lanes, &MatrixOperands::a, bitsOf(formats.a), places.a,
                   [&](unsigned place) { rows[place / k] = true; });
  forEachUndefined(lanes, &MatrixOperands::b, bitsOf(formats.b), places.b,
                   [&](unsigned place) { columns[place / (k * n) * n + place % n] = true; });
  for (unsigned lane = 0; lane < lanes.size() && operation.isScaled; ++lane) {
    rows[lane % m] |= lanes[lane]->scaleA != 0;
    columns[lane % n] |= lanes[lane]->scaleB != 0;
  }
  unsigned bytes = bitsOf(operation.c) / 8, perLane = operation.resultsPerLane();
  for (unsigned i = 0; i < lanes.size() * perLane; ++i) {
    unsigned place = places.c[i], block = place / (m * n);
    std::byte *shadow = lanes[i / perLane]->c + i % perLane * bytes;
    bool isUndefined = rows[place / n] || columns[block * n + place % n] || isAnySet(shadow, 0, bytes * 8);
    std::fill_n(shadow, bytes, isUndefined ? std::byte{0xff} : std::byte{0});
  }
}

} // namespace hocket::emulator
