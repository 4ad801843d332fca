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
//             word     elements that share a 4-byte word with them, if a vector is narrower than a word
//             bank     the bank
//     high    segment  the word within the bank: elements that differ only here are in conflict
//
// Two lanes of one phase differ by an element of span(lane bases); they conflict if that difference lies in
// span(vector, word, segment) but not in span(vector, word). So, modulo W = span(vector, word), the segments must
// intersect neither the lanes of A nor those of B. The lanes of A and of B each span a subspace of at most (number of
// bank bits) dimensions, and two such subspaces have a common complement. A basis of the common complement consists of
// the vectors p_i ^ q_i, where p_i is a basis vector that only A has and q_i is one that only B has, and of a basis of
// a complement of A + B. Example: a 4 x 4 transpose of words on 4 banks, lanes along rows in A and along columns in B:
//
//     lanes of A = {col 1, col 2}   of B = {row 1, row 2}   segments = {row 1 ^ col 1, row 2 ^ col 2}
//
//     bank of      col 0  1  2  3
//     row 0            0  1  2  3          every row and every column has each bank once
//     row 1            1  0  3  2
//     row 2            2  3  0  1
//     row 3            3  2  1  0
//
// If lanes of either side differ by part of a vector, vectors of that width cannot be aligned on both sides, and
// narrower vectors are tried.
//
// If the registers of one side span more than the vectors that both sides share, the accesses of this side become
// wider: the additional registers become the low bank bits, and count as lanes of this side in the construction above.
// Wider accesses have fewer lanes in a phase, so the number of dimensions of the subspace is still at most the number
// of bank bits. The lanes of the other side change the low bank bits.
//
// If one side has fewer banks than the other (stores of gfx950: 32 of 64), the highest bank bits are segment bits for
// that side: they are chosen outside of the span of its lanes.
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

/// A shared memory layout without padding.
struct SharedLinear {
  /// A bijection (offset, block) -> tensor dimensions; offsets count elements.
  LinearLayout layout;
  /// Elements per access of the storing side and of the loading side.
  int32_t srcWidth = 1, dstWidth = 1;
};

/// Returns the shared layout through which registers laid out as `src` (stored) become registers laid out as `dst`
/// (loaded), with the widest vectors that both sides can use and without bank conflicts between accesses of these
/// vectors. `src` and `dst` are surjective maps to the same tensor dimensions; elements have `elementBits` bits (8 or
/// more). A Block dimension must have size 1.
SharedLinear optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t elementBits,
                            const SharedBanks &banks);

} // namespace hocket

#endif
