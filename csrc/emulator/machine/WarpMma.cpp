//===- WarpMma.cpp - Computes MFMA and mma.sync instructions ------------------------===//
//
// The operands of all lanes are decoded into row-major matrices and multiplied (MatrixArithmetic.h). The results are
// then distributed to the lanes. In a batch of MMAs, each operand is decoded only once, and an accumulator stays a
// row-major matrix until the end of the batch.
//
//===------------------------------------------------------------------------------===//
#include "emulator/machine/WarpMma.h"

#include "emulator/machine/MatrixArithmetic.h"
#include "emulator/machine/MatrixTiles.h"
#include "emulator/machine/SmallFloats.h"

#include <cstring>
#include <memory>
#include <vector>

namespace hocket::emulator {

using host_abi::MatrixFormats;
using host_abi::MatrixOperation;
using host_abi::MatrixRow;
using host_abi::MatrixStep;

namespace {

constexpr unsigned kMaxElements = 2048;

/// The decoded matrices of a batch of MMAs, identified by the offset and the format of the operand.
template <typename Number>
class Matrices {
public:
  void clear() { used = 0; }
  struct Found {
    Number *matrix;
    bool isNew;
  };
  Found at(uint32_t offset, NumberFormat element) {
    for (size_t i = 0; i < used; ++i)
      if (storage[i]->offset == offset && storage[i]->element == element)
        return {storage[i]->values, false};
    if (used == storage.size())
      storage.push_back(std::make_unique<Matrix>());
    Matrix &matrix = *storage[used++];
    matrix.offset = offset;
    matrix.element = element;
    return {matrix.values, true};
  }
  template <typename Function>
  void forEach(Function function) {
    for (size_t i = 0; i < used; ++i)
      function(storage[i]->offset, storage[i]->values);
  }

private:
  struct Matrix {
    alignas(64) Number values[kMaxElements];
    uint32_t offset;
    NumberFormat element;
  };
  std::vector<std::unique_ptr<Matrix>> storage;
  size_t used = 0;
};

template <typename Number>
void decode(NumberFormat element, const std::byte *bits, unsigned count, Number *values) {
  if constexpr (std::is_same_v<Number, float>) {
    decodeFloats(element, bits, count, values);
  } else if constexpr (std::is_same_v<Number, double>) {
    std::memcpy(values, bits, count * sizeof(double));
  } else {
    for (unsigned i = 0; i < count; ++i)
      values[i] = element == NumberFormat::U8 ? Number(uint8_t(bits[i])) : Number(int8_t(bits[i]));
  }
}

/// True if the elements of all lanes can be concatenated and decoded at once, because each element fills whole bytes.
bool isDense(NumberFormat element) { return bitsOf(element) >= 8; }

/// Returns a buffer for the elements of all lanes, lane after lane. The buffer is static, because it is too large for
/// the stack of a lane.
template <typename Number>
Number *elementsOfWave() {
  alignas(64) static thread_local Number values[kMaxElements];
  return values;
}

/// Copies like std::memcpy, but without a call of the C library for the common sizes.
void copyBytes(void *to, const void *from, size_t bytes) {
  switch (bytes) {
  case 8:
    return void(std::memcpy(to, from, 8));
  case 16:
    return void(std::memcpy(to, from, 16));
  default:
    std::memcpy(to, from, bytes);
  }
}

/// Decodes the elements of A or B that lanes hold at `offset`, and stores them at their indices in `matrix`.
template <typename Number>
void gather(const WaveOperands &lanes, uint32_t offset, NumberFormat element, const ElementIndices &indices,
            Number *matrix) {
  auto count = unsigned(indices.size()), perLane = unsigned(count / lanes.size());
  Number *values = elementsOfWave<Number>();
  if (isDense(element)) {
    constexpr size_t kMaxBytes = 32;
    alignas(64) std::byte bits[64 * kMaxBytes];
    size_t bytes = perLane * bitsOf(element) / 8;
    for (size_t lane = 0; lane < lanes.size(); ++lane)
      copyBytes(bits + lane * bytes, lanes[lane] + offset, bytes);
    decode(element, bits, count, values);
  } else {
    for (size_t lane = 0; lane < lanes.size(); ++lane)
      decode(element, lanes[lane] + offset, perLane, values + lane * perLane);
  }
  MatrixTiles<Number>(indices, lanes.size())
      .toMatrix([&](size_t lane) { return reinterpret_cast<const std::byte *>(values + lane * perLane); }, matrix);
}

MatrixScales scalesOf(const WaveOperands &lanes, uint32_t offset, unsigned byte, unsigned across) {
  MatrixScales scales = {.values = {}, .across = across};
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    scales.values[lane] = decodeScale(uint8_t(lanes[lane][offset + byte]));
  return scales;
}

template <typename Number>
void run(const MatrixRow &row, const WaveOperands &lanes) {
  static thread_local Matrices<Number> factorsA, factorsB, sums;
  for (auto *matrices : {&factorsA, &factorsB, &sums})
    matrices->clear();
  const MatrixOperation &operation = host_abi::matrixOperations()[row.operation];
  const MatrixIndices &indices = indicesOf(operation);
  auto isHalved = [&](NumberFormat element) { return operation.isScaled && bitsOf(element) == 8; };
  for (const MatrixStep &step : row) {
    MatrixFormats formats = MatrixFormats::decode(step.formats);
    auto a = factorsA.at(step.a, formats.a), b = factorsB.at(step.b, formats.b), c = sums.at(step.c, operation.c);
    if (a.isNew)
      gather(lanes, step.a, formats.a, isHalved(formats.a) ? indices.halvedA : indices.a, a.matrix);
    if (b.isNew)
      gather(lanes, step.b, formats.b, isHalved(formats.b) ? indices.halvedB : indices.b, b.matrix);
    if (c.isNew)
      MatrixTiles<Number>(indices.c, lanes.size())
          .toMatrix([&](size_t lane) { return lanes[lane] + step.c; }, c.matrix);
    if constexpr (std::is_same_v<Number, float>)
      if (operation.isScaled) {
        multiplyScaled(operation, a.matrix, b.matrix, c.matrix,
                       scalesOf(lanes, step.scaleA, formats.byteA, operation.m),
                       scalesOf(lanes, step.scaleB, formats.byteB, operation.n));
        continue;
      }
    multiplyPlain(operation, a.matrix, b.matrix, c.matrix);
  }
  sums.forEach([&](uint32_t offset, const Number *matrix) {
    MatrixTiles<Number>(indices.c, lanes.size()).toLanes(matrix, [&](size_t lane) { return lanes[lane] + offset; });
  });
}

} // namespace

void multiplyMatrices(const MatrixRow &row, const WaveOperands &lanes) {
  switch (host_abi::matrixOperations()[row.operation].c) {
  case NumberFormat::F64:
    return run<double>(row, lanes);
  case NumberFormat::I32:
    return run<uint32_t>(row, lanes);
  default:
    return run<float>(row, lanes);
  }
}

} // namespace hocket::emulator
