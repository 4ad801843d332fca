//===- MatrixArithmetic.cpp - Multiplies row-major matrices with vectors of the host ---===//
#include "emulator/machine/MatrixArithmetic.h"

#include <cmath>
#include <cstring>

#pragma clang fp contract(off)

namespace hocket::emulator {

using host_abi::MatrixOperation;

namespace {

/// A row of `n` numbers. The compiler splits a row into the vectors of the host.
template <typename Number, unsigned n>
struct RowOf {
  using Vector [[gnu::vector_size(sizeof(Number) * n)]] = Number;
};

enum class Rounding { AfterEach, Fused };

template <Rounding rounding, typename Number, typename Vector>
[[gnu::always_inline]] inline void addProduct(Number a, const Vector &row, Vector &sum) {
  if constexpr (rounding == Rounding::Fused) {
    Vector factor = a - Vector{};
    sum = __builtin_elementwise_fma(factor, row, sum);
  } else {
    sum = a * row + sum;
  }
}

/// Multiplies the matrices of one block. The loop processes four rows of C at once, so that each row of B is loaded
/// once for four rows of C. Four rows of C and a row of B fit into registers.
template <Rounding rounding, unsigned n, typename Number>
[[gnu::always_inline]] inline void multiplyBlock(unsigned m, unsigned k, const Number *a, const Number *b, Number *c) {
  using Vector = typename RowOf<Number, n>::Vector;
  constexpr unsigned kRows = 4;
  for (unsigned row = 0; row < m; row += kRows) {
    Vector sums[kRows];
    std::memcpy(sums, c + row * n, sizeof(sums));
    for (unsigned depth = 0; depth < k; ++depth) {
      Vector across;
      std::memcpy(&across, b + depth * n, sizeof(across));
      for (unsigned i = 0; i < kRows; ++i)
        addProduct<rounding>(a[(row + i) * k + depth], across, sums[i]);
    }
    std::memcpy(c + row * n, sums, sizeof(sums));
  }
}

/// Computes `columns` of the `n` columns of C.
template <Rounding rounding, unsigned columns, typename Number>
[[gnu::always_inline]] inline void multiplyStrip(unsigned m, unsigned k, unsigned n, const Number *a, const Number *b,
                                                 Number *c) {
  using Vector = typename RowOf<Number, columns>::Vector;
  constexpr unsigned kRows = 4;
  for (unsigned row = 0; row < m; row += kRows) {
    Vector sums[kRows];
    for (unsigned i = 0; i < kRows; ++i)
      std::memcpy(&sums[i], c + (row + i) * n, sizeof(Vector));
    for (unsigned depth = 0; depth < k; ++depth) {
      Vector across;
      std::memcpy(&across, b + depth * n, sizeof(across));
      for (unsigned i = 0; i < kRows; ++i)
        addProduct<rounding>(a[(row + i) * k + depth], across, sums[i]);
    }
    for (unsigned i = 0; i < kRows; ++i)
      std::memcpy(c + (row + i) * n, &sums[i], sizeof(Vector));
  }
}

/// Multiplies in strips of 32 columns, and the remaining columns in strips of 8, because the number of columns of a
/// wgmma may be any multiple of 8.
template <Rounding rounding, typename Number>
[[gnu::always_inline]] inline void multiplyStrips(unsigned m, unsigned k, unsigned n, const Number *a, const Number *b,
                                                  Number *c) {
  unsigned column = 0;
  for (; column + 32 <= n; column += 32)
    multiplyStrip<rounding, 32>(m, k, n, a, b + column, c + column);
  for (; column + 8 <= n; column += 8)
    multiplyStrip<rounding, 8>(m, k, n, a, b + column, c + column);
}

template <Rounding rounding, typename Number>
[[gnu::always_inline]] inline void multiplyBlocks(const MatrixOperation &operation, const Number *a, const Number *b,
                                                  Number *c) {
  constexpr unsigned kWidest = 32;
  unsigned m = operation.m, n = operation.n, k = operation.k;
  for (unsigned block = 0; block < operation.blocks; ++block, a += m * k, b += k * n, c += m * n) {
    if (n == kWidest)
      multiplyBlock<rounding, kWidest>(m, k, a, b, c);
    else if (n > 16)
      multiplyStrips<rounding>(m, k, n, a, b, c);
    else if (n == 16)
      multiplyBlock<rounding, 16>(m, k, a, b, c);
    else if (n == 8)
      multiplyBlock<rounding, 8>(m, k, a, b, c);
    else
      multiplyBlock<rounding, 4>(m, k, a, b, c);
  }
}

template <Rounding rounding, typename Number>
using Multiply = void (*)(const MatrixOperation &, const Number *, const Number *, Number *);

/// Versions of multiplyBlocks for hosts with AVX-512, with AVX2, and for any host.
template <Rounding rounding, typename Number>
struct Versions {
  [[gnu::target("avx512f,avx512vl,avx512dq,fma")]] static void withAvx512(const MatrixOperation &operation,
                                                                          const Number *a, const Number *b, Number *c) {
    multiplyBlocks<rounding>(operation, a, b, c);
  }
  [[gnu::target("avx2,fma")]] static void withAvx2(const MatrixOperation &operation, const Number *a, const Number *b,
                                                   Number *c) {
    multiplyBlocks<rounding>(operation, a, b, c);
  }
  static void withAny(const MatrixOperation &operation, const Number *a, const Number *b, Number *c) {
    multiplyBlocks<rounding>(operation, a, b, c);
  }
  static Multiply<rounding, Number> best() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      return withAvx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? withAvx2 : withAny;
  }
};

template <Rounding rounding, typename Number>
void multiply(const MatrixOperation &operation, const Number *a, const Number *b, Number *c) {
  static const Multiply<rounding, Number> best = Versions<rounding, Number>::best();
  best(operation, a, b, c);
}

template <unsigned n>
void multiplyScaledRows(const MatrixOperation &operation, const float *a, const float *b, float *c,
                        const MatrixScales &scalesA, const MatrixScales &scalesB) {
  unsigned k = operation.k;
  for (unsigned row = 0; row < operation.m; ++row)
    for (unsigned group = 0; group < k / kElementsPerScale; ++group) {
      const float *rowOfA = a + row * k + group * kElementsPerScale, *rowsOfB = b + group * kElementsPerScale * n;
      float sums[n] = {};
      for (unsigned depth = 0; depth < kElementsPerScale; ++depth)
        for (unsigned column = 0; column < n; ++column)
          sums[column] += rowOfA[depth] * rowsOfB[depth * n + column];
      for (unsigned column = 0; column < n; ++column) {
        float &sum = c[row * n + column];
        sum = float(sum + scalesA.at(row, group) * scalesB.at(column, group) * sums[column]);
      }
    }
}

} // namespace

void multiplyPlain(const MatrixOperation &operation, const float *a, const float *b, float *c) {
  if (operation.a == NumberFormat::F32)
    multiply<Rounding::Fused>(operation, a, b, c);
  else
    multiply<Rounding::AfterEach>(operation, a, b, c);
}

void multiplyPlain(const MatrixOperation &operation, const double *a, const double *b, double *c) {
  multiply<Rounding::Fused>(operation, a, b, c);
}

void multiplyPlain(const MatrixOperation &operation, const uint32_t *a, const uint32_t *b, uint32_t *c) {
  multiply<Rounding::AfterEach>(operation, a, b, c);
}

void multiplyScaled(const MatrixOperation &operation, const float *a, const float *b, float *c,
                    const MatrixScales &scalesA, const MatrixScales &scalesB) {
  if (operation.n == 32)
    multiplyScaledRows<32>(operation, a, b, c, scalesA, scalesB);
  else
    multiplyScaledRows<16>(operation, a, b, c, scalesA, scalesB);
}

} // namespace hocket::emulator
