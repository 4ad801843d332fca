//===- MatrixProduct.cpp - What an AMD matrix instruction computes ------------------------===//
//
// The operands of all lanes are decoded into plain matrices, multiplied, and the result is dealt out again. The order
// of additions is not documented: here k ascends, and a scaled product adds up each 32 elements before it scales them.
// Products of two floats of at most 16 bits are exact in an f32, so only sums are rounded. f32 and f64 use fused
// multiply-adds; i8 wraps around.
//
//===------------------------------------------------------------------------------===//
#include "emulator/machine/MatrixProduct.h"

#include "emulator/machine/MatrixPlaces.h"
#include "emulator/machine/SmallFloats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hocket::emulator {

using host_abi::MatrixElement;
using host_abi::MatrixFormats;
using host_abi::MatrixOperands;
using host_abi::MatrixOperation;

namespace {

constexpr unsigned kMaxElements = 2048, kMaxPerLane = 32, kScaleBlock = 32;

/// The operands in rows, one block after the other. Too large for the stack of a lane.
template <typename Number>
struct Matrices {
  alignas(64) std::array<Number, kMaxElements> a, b, c;
};

template <typename Number>
Matrices<Number> &workspace() {
  static thread_local Matrices<Number> matrices;
  return matrices;
}

template <typename Number>
void decode(MatrixElement element, const std::byte *bits, unsigned count, Number *values) {
  if constexpr (std::is_same_v<Number, float>) {
    decodeFloats(element, bits, count, values);
  } else if constexpr (std::is_same_v<Number, double>) {
    std::memcpy(values, bits, count * sizeof(double));
  } else {
    for (unsigned i = 0; i < count; ++i)
      values[i] = Number(int8_t(bits[i]));
  }
}

/// Brings the elements of `field` of all lanes to their places.
template <typename Number>
void gather(const WaveOperands &lanes, std::byte (MatrixOperands::*field)[32], MatrixElement element,
            const Places &places, Number *matrix) {
  unsigned perLane = unsigned(places.size() / lanes.size());
  const uint16_t *place = places.data();
  for (MatrixOperands *lane : lanes) {
    Number values[kMaxPerLane];
    decode(element, lane->*field, perLane, values);
    for (unsigned i = 0; i < perLane; ++i)
      matrix[*place++] = values[i];
  }
}

template <typename Number, typename Move>
void moveResults(const WaveOperands &lanes, const Places &places, Move move) {
  unsigned perLane = unsigned(places.size() / lanes.size());
  const uint16_t *place = places.data();
  for (MatrixOperands *lane : lanes)
    for (unsigned r = 0; r < perLane; ++r)
      move(lane->c + r * sizeof(Number), *place++);
}

/// c += a x b for one block. `n` is a constant so that a row of c stays in registers.
template <unsigned n, typename Number, typename Add>
void multiplyBlock(unsigned m, unsigned k, const Number *a, const Number *b, Number *c, Add add) {
  for (unsigned row = 0; row < m; ++row) {
    Number sums[n];
    std::copy_n(c + row * n, n, sums);
    for (unsigned depth = 0; depth < k; ++depth)
      for (unsigned column = 0; column < n; ++column)
        sums[column] = add(a[row * k + depth], b[depth * n + column], sums[column]);
    std::copy_n(sums, n, c + row * n);
  }
}

template <typename Number, typename Add>
void multiplyBlocks(const MatrixOperation &operation, Matrices<Number> &matrices, Add add) {
  unsigned m = operation.m, n = operation.n, k = operation.k;
  for (unsigned block = 0; block < operation.blocks; ++block) {
    const Number *a = &matrices.a[block * m * k], *b = &matrices.b[block * k * n];
    Number *c = &matrices.c[block * m * n];
    if (n == 32)
      multiplyBlock<32>(m, k, a, b, c, add);
    else if (n == 16)
      multiplyBlock<16>(m, k, a, b, c, add);
    else
      multiplyBlock<4>(m, k, a, b, c, add);
  }
}

/// The scales of A or B: `across` rows or columns, each with one per 32 elements. Lane l has that of row or column
/// l % across and of the elements from 32 * (l / across).
struct Scales {
  std::array<double, 64> values;
  unsigned across;

  Scales(const WaveOperands &lanes, uint32_t MatrixOperands::*field, unsigned byte, unsigned across) : across(across) {
    for (unsigned lane = 0; lane < lanes.size(); ++lane)
      values[lane] = decodeScale(uint8_t(lanes[lane]->*field >> 8 * byte));
  }
  double at(unsigned index, unsigned group) const { return values[group * across + index]; }
};

template <unsigned n>
void multiplyScaled(const MatrixOperation &operation, Matrices<float> &matrices, const Scales &scalesA,
                    const Scales &scalesB) {
  unsigned k = operation.k;
  for (unsigned row = 0; row < operation.m; ++row)
    for (unsigned group = 0; group < k / kScaleBlock; ++group) {
      const float *a = &matrices.a[row * k + group * kScaleBlock], *b = &matrices.b[group * kScaleBlock * n];
      float sums[n] = {};
      for (unsigned depth = 0; depth < kScaleBlock; ++depth)
        for (unsigned column = 0; column < n; ++column)
          sums[column] += a[depth] * b[depth * n + column];
      for (unsigned column = 0; column < n; ++column) {
        float &sum = matrices.c[row * n + column];
        sum = float(sum + scalesA.at(row, group) * scalesB.at(column, group) * sums[column]);
      }
    }
}

void multiplyScaled(const MatrixOperation &operation, MatrixFormats formats, const WaveOperands &lanes,
                    Matrices<float> &matrices) {
  Scales scalesA(lanes, &MatrixOperands::scaleA, formats.byteA, operation.m);
  Scales scalesB(lanes, &MatrixOperands::scaleB, formats.byteB, operation.n);
  if (operation.n == 32)
    multiplyScaled<32>(operation, matrices, scalesA, scalesB);
  else
    multiplyScaled<16>(operation, matrices, scalesA, scalesB);
}

void multiply(const MatrixOperation &operation, MatrixFormats formats, const WaveOperands &lanes,
              Matrices<float> &matrices) {
  if (operation.isScaled)
    multiplyScaled(operation, formats, lanes, matrices);
  else if (operation.a == MatrixElement::F32)
    multiplyBlocks(operation, matrices, [](float a, float b, float c) { return std::fma(a, b, c); });
  else
    multiplyBlocks(operation, matrices, [](float a, float b, float c) { return a * b + c; });
}

void multiply(const MatrixOperation &operation, MatrixFormats, const WaveOperands &, Matrices<double> &matrices) {
  multiplyBlocks(operation, matrices, [](double a, double b, double c) { return std::fma(a, b, c); });
}

void multiply(const MatrixOperation &operation, MatrixFormats, const WaveOperands &, Matrices<uint32_t> &matrices) {
  multiplyBlocks(operation, matrices, [](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; });
}

template <typename Number>
void run(const MatrixOperation &operation, MatrixFormats formats, const WaveOperands &lanes) {
  const MatrixPlaces &places = placesOf(operation);
  Matrices<Number> &matrices = workspace<Number>();
  auto isHalved = [&](MatrixElement element) { return operation.isScaled && bitsOf(element) == 8; };
  gather(lanes, &MatrixOperands::a, formats.a, isHalved(formats.a) ? places.halvedA : places.a, matrices.a.data());
  gather(lanes, &MatrixOperands::b, formats.b, isHalved(formats.b) ? places.halvedB : places.b, matrices.b.data());
  moveResults<Number>(lanes, places.c, [&](const std::byte *bits, uint16_t place) {
    std::memcpy(&matrices.c[place], bits, sizeof(Number));
  });
  multiply(operation, formats, lanes, matrices);
  moveResults<Number>(lanes, places.c,
                      [&](std::byte *bits, uint16_t place) { std::memcpy(bits, &matrices.c[place], sizeof(Number)); });
}

} // namespace

void multiplyMatrices(const MatrixOperation &operation, MatrixFormats formats, const WaveOperands &lanes) {
  switch (operation.c) {
  case MatrixElement::F64:
    return run<double>(operation, formats, lanes);
  case MatrixElement::I32:
    return run<uint32_t>(operation, formats, lanes);
  default:
    return run<float>(operation, formats, lanes);
  }
}

} // namespace hocket::emulator
