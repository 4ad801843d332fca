//===- Multiplication.h - Random matrices through a matrix instruction, checked by plain loops -------------===//
//
// The matrices are distributed to the lanes element by element, by the formulas of the "AMD Instinct MI300" ISA guide:
//
//   a[i][k] of block b:  element k % perLane of lane i + m * (b + blocks * (k / perLane))
//   c[i][j] of block b:  element i % height + height * (i / (height * groups) + strips * (b / across))
//                        of lane j + n * (i / height % groups + groups * (b % across))
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_EMULATOR_MULTIPLICATION_H
#define HOCKET_TESTS_UNIT_EMULATOR_MULTIPLICATION_H

#include "llvm/ADT/APFloat.h"

#include <string>

namespace hocket {

/// The elements of an operand: their width and the meaning of their bits.
struct Element {
  const char *name;
  unsigned bits;
  const llvm::fltSemantics *semantics; ///< null for integers

  double decode(uint64_t raw) const;
};
struct Product {
  std::string target, name;
  unsigned m, n, k, blocks;
  Element a, b, c;
  std::string typeA, typeB, typeC;
  bool isScaled = false;
  int formatA = 0, formatB = 0, byteA = 0, byteB = 0;
};

/// Compiles a kernel with the one instruction and runs it on one wave.
void checkMultiplication(const Product &product);

} // namespace hocket

#endif
