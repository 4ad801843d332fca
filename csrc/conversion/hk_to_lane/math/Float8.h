//===- Float8.h - Converts 8-bit floats ---------------------------------------------===//
//
//   f8E5M2     (float8e5)    1 + 5 + 2 bits, infinities and NaNs as in f16, of which it is the upper half
//   f8E4M3FN   (float8e4nv)  1 + 4 + 3 bits, no infinities; one NaN per sign, 0x7f; largest number 448
//
// The formats of CDNA3 have an exponent bias that is larger by one, no infinities and no negative zero. The bits of a
// negative zero, 0x80, are the only NaN:
//
//   f8E5M2FNUZ (float8e5b16) 1 + 5 + 2 bits; largest number 57344
//   f8E4M3FNUZ (float8e4b8)  1 + 4 + 3 bits; largest number 240
//
// Only some targets convert 8-bit floats in hardware, and their results differ. Conversions are therefore done by
// integer arithmetic, in the same way on every target and in the emulator. Widening is exact. Narrowing rounds to
// nearest, ties to even, and saturates: infinities and numbers beyond the largest finite number become the largest
// finite number with their sign. NaN becomes 0x7f (FNUZ: 0x80). Results equal the results of NVIDIA's cvt.rn.satfinite
// (PTX ISA 9.7.9.21). On targets with this instruction, the instruction narrows to f8E5M2 and f8E4M3FN; the emulator
// uses integer arithmetic in its place.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_MATH_FLOAT8_H
#define HOCKET_CONVERSION_HK_TO_LANE_MATH_FLOAT8_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

bool isFloat8(mlir::Type element);

/// Widens `bits` (i8) of the type `from` to f16, bf16, f32 or f64.
mlir::Value widenFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::FloatType from, mlir::Type to,
                        mlir::Value bits);

/// Narrows a float to the bits (i8) of the type `to` by integer arithmetic. f64 is rounded to f32 first.
mlir::Value narrowToFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::FloatType to);

/// Narrows a float as `narrowToFloat8` does, by one instruction of NVIDIA GPUs. `to` is f8E5M2 or f8E4M3FN.
mlir::Value narrowByInstruction(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::FloatType to);

} // namespace hocket

#endif
