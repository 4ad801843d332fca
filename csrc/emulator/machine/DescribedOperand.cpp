//===- DescribedOperand.cpp - Operand in shared memory that a matrix descriptor describes --===//
#include "emulator/machine/DescribedOperand.h"

#include "emulator/machine/SmallFloats.h"

namespace hocket::emulator {

void decodeNumbers(NumberFormat element, const std::byte *bits, unsigned count, float *numbers) {
  decodeFloats(element, bits, count, numbers);
}

void decodeNumbers(NumberFormat element, const std::byte *bits, unsigned count, uint32_t *numbers) {
  for (unsigned i = 0; i < count; ++i)
    numbers[i] = element == NumberFormat::U8 ? uint32_t(uint8_t(bits[i])) : uint32_t(int32_t(int8_t(bits[i])));
}

template <typename Number>
static void read(const DescribedOperand &operand, const std::byte *shared, Number *matrix, uint32_t rowStride,
                 uint32_t kStride) {
  uint32_t count = operand.perPiece(), stride = operand.isTransposed ? rowStride : kStride;
  operand.forEachPiece([&](uint32_t offset, uint32_t row, uint32_t k) {
    Number numbers[DescribedOperand::kPieceBytes];
    decodeNumbers(operand.element, shared + offset, count, numbers);
    Number *place = matrix + (row - operand.firstRow) * rowStride + k * kStride;
    for (uint32_t i = 0; i < count; ++i)
      place[i * stride] = numbers[i];
  });
}

void readOperand(const DescribedOperand &operand, const std::byte *shared, float *matrix, uint32_t rowStride,
                 uint32_t kStride) {
  read(operand, shared, matrix, rowStride, kStride);
}

void readOperand(const DescribedOperand &operand, const std::byte *shared, uint32_t *matrix, uint32_t rowStride,
                 uint32_t kStride) {
  read(operand, shared, matrix, rowStride, kStride);
}

} // namespace hocket::emulator
