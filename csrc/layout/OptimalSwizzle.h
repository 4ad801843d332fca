//===- OptimalSwizzle.h - Shared layouts without bank conflicts -------------------===//
//
// layout/SharedBanks.h defines banks, phases and wavefronts. An access of 4 bytes by 32 lanes on 32 banks is one
// wavefront if no two lanes access different words of one bank. With 16 bytes per lane, eight lanes fill the banks, and
// a warp of 32 takes at least four wavefronts.
//
// To convert a tile from register layout A to register layout B through shared memory, optimalSwizzle chooses the map
// from offsets to elements. The bits of an offset are
//
//     low     vector   the 2^v elements that one access of one lane moves
//             word     elements that share a 4-byte word with the vector, if the vector is narrower than a word
//             bank     the bank
//     high    segment  the word within the bank: elements that differ only here are in conflict
//
// The elements of two lanes of one phase differ by an XOR of lane bases. The lanes conflict if this difference lies in
// span(vector, word, segment) but not in W = span(vector, word). Modulo W, the span of the segments must therefore
// intersect neither the span of the lanes of A nor the span of the lanes of B. With b bank bits, the lanes of one phase
// span a subspace of at most b dimensions, both in A and in B. Two such subspaces have a common complement. A basis of
// the common complement consists of a basis of a complement of A + B and of the words p_i ^ q_i: p_i is a basis element
// of A outside of B, q_i a basis element of B outside of A. Example: a 4 x 4 transpose of words on 4 banks, lanes along
// rows in A and along columns in B:
//
//     lanes of A = {col 1, col 2}   of B = {row 1, row 2}   segments = {row 1 ^ col 1, row 2 ^ col 2}
//
//     bank of      col 0  1  2  3
//     row 0            0  1  2  3          every row and every column has each bank once
//     row 1            1  0  3  2
//     row 2            2  3  0  1
//     row 3            3  2  1  0
//
// If lanes of one side differ by a part of a vector, vectors of this width cannot be aligned on both sides.
// optimalSwizzle then tries narrower vectors.
//
// If the registers of one side span more than the vectors that both sides share, the accesses of this side become
// wider. The additional register bases become the low bank bits, and count as lane bases of this side in the
// construction above. Wider accesses have fewer lanes in a phase, so the dimension of the subspace is still at most the
// number of bank bits.
//
// If one side has fewer banks than the other (stores of gfx950: 32 of 64), the highest bank bits are segment bits for
// the side with fewer banks, so these bits are chosen outside of the span of this side's lanes.
//
// The idea (vectors from the intersection of the register spaces, segments from a common complement of the lane spaces)
// is that of "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using F2" (Zhou et al., 2025).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_OPTIMALSWIZZLE_H
#define HOCKET_LAYOUT_OPTIMALSWIZZLE_H

#include "layout/LinearLayout.h"
#include "layout/SharedBanks.h"

namespace hocket {

/// A shared memory layout without padding, and the widths of its accesses.
struct SharedLinear {
  /// A bijection (offset, block) -> tensor dimensions; offsets count elements.
  LinearLayout layout;
  /// Number of elements per access: `srcWidth` for stores, `dstWidth` for loads.
  int32_t srcWidth = 1, dstWidth = 1;
};

/// Returns a shared layout for a layout conversion: values in the register layout `src` are stored, and then loaded in
/// the register layout `dst`. Accesses have the widest vectors that both sides can use, and no bank conflicts. `src`
/// and `dst` are surjective maps to the same tensor dimensions; elements have `elementBits` bits (8 or more). If `src`
/// or `dst` has a Block dimension, its size must be 1.
SharedLinear optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t elementBits,
                            const SharedBanks &banks);

} // namespace hocket

#endif
