//===- LinearLayout.h - Layouts as linear maps over F2 ----------------------------===//
//
// A *linear layout* maps positions to elements: which element of a tile a register of a lane holds, or which element is
// stored at an offset of shared memory. Mathematically, a linear layout is a function from tuples of integers to tuples
// of integers (all sizes are powers of two) that is linear over F2: writing ^ for XOR,
//
//     L(a ^ b) = L(a) ^ L(b)       and therefore       L(0) = 0.
//
// The values of L at the powers of two, its *bases*, therefore determine L. The smallest example that is not the
// identity: four lanes, each with two registers, hold a 4 x 2 tile so that the columns are swapped in every other row:
//
//                 register 0   register 1
//        lane 0     (0, 0)       (0, 1)          bases:   L(register = 1) = (0, 1)
//        lane 1     (1, 1)       (1, 0)                   L(lane = 1)     = (1, 1)
//        lane 2     (2, 0)       (2, 1)                   L(lane = 2)     = (2, 0)
//        lane 3     (3, 1)       (3, 0)
//
// The three bases determine the other five entries of the table. Lane 3, register 1:
//
//     L(register = 1, lane = 3) = L(register = 1) ^ L(lane = 1) ^ L(lane = 2) = (0,1) ^ (1,1) ^ (2,0) = (3, 0).
//
// If no two bases share a bit, ^ is +, and L is a strided layout. Linearity over F2 also covers *swizzles* (the column
// swap above). A linear layout is a matrix with one column per input bit and one row per output bit, so layouts can be
// inverted, composed and divided like matrices.
//
//     compose            register of a lane -> tensor element -> shared memory offset
//     invertAndCompose   register of a lane -> tensor element -> register of which lane of another layout
//     operator*          a tile of tiles: (lanes hold 1x4 boxes) * (warps hold 8x1 of those)
//     divideLeft         is this layout made of copies of a hardware tile, and in which arrangement?
//     zero bases         inputs without effect: several lanes hold the same element (broadcasting)
//
// Conventions. Dimensions are ordered. The *first* dimension is the fastest: flattening (a, b) gives a + size(a) * b.
// Flattening, reshaping and counting contiguous elements use this order of dimensions. Row-major tensors therefore list
// their last dimension first (see `transposeOuts`). Dimensions of size 1 are kept.
//
// Representation: each basis is one 64-bit word, the flattened output tuple. Flattening and reshaping only relabel the
// dimensions; composing and inverting are XORs of words. No memory is allocated.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_LINEARLAYOUT_H
#define HOCKET_LAYOUT_LINEARLAYOUT_H

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hocket {

/// Meaning of a coordinate. Register to Block are hardware positions, Offset is a position in memory; Dim0 and
/// following are the dimensions of a tensor, outermost first.
enum class Dim : uint8_t { Register, Lane, Warp, Block, Offset, Dim0, Dim1, Dim2, Dim3, Dim4 };

constexpr unsigned kMaxTensorRank = 5;

/// Returns Dim0 + i.
constexpr Dim tensorDim(unsigned i) { return static_cast<Dim>(static_cast<unsigned>(Dim::Dim0) + i); }
constexpr bool isTensorDim(Dim dim) { return dim >= Dim::Dim0; }
/// Inverse of `tensorDim`.
constexpr unsigned tensorDimIndex(Dim dim) { return static_cast<unsigned>(dim) - static_cast<unsigned>(Dim::Dim0); }
/// Returns "register", "lane", ..., "dim0", ...
std::string_view dimName(Dim dim);

/// A dimension of 2^bits values.
struct DimBits {
  Dim dim;
  uint8_t bits;
  int32_t size() const { return int32_t(1) << bits; }
  bool operator==(const DimBits &) const = default;
};

/// One coordinate of a tuple.
struct DimIndex {
  Dim dim;
  int32_t index;
  bool operator==(const DimIndex &) const = default;
};

/// A vector of at most N elements, without heap memory: dimensions and tuples are short, and numerous.
template <typename T, size_t N>
class BoundedVector {
public:
  BoundedVector() = default;
  BoundedVector(std::initializer_list<T> init) {
    for (const T &value : init)
      push_back(value);
  }
  void push_back(const T &value) {
    assert(count < N && "BoundedVector is full");
    items[count++] = value;
  }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *begin() { return items.data(); }
  T *end() { return items.data() + count; }
  const T *begin() const { return items.data(); }
  const T *end() const { return items.data() + count; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T &back() { return items[count - 1]; }
  operator std::span<const T>() const { return {items.data(), count}; }

private:
  std::array<T, N> items{};
  uint8_t count = 0;
};

/// A tuple of coordinates; `coords[dim]` is 0 for a dimension that is absent.
class Coords : public BoundedVector<DimIndex, 6> {
public:
  using BoundedVector::BoundedVector;
  using BoundedVector::operator[];
  int32_t operator[](Dim dim) const {
    for (const DimIndex &item : *this)
      if (item.dim == dim)
        return item.index;
    return 0;
  }
  bool operator==(const Coords &other) const;
};

/// The bases of one input dimension: row i is the output tuple that bit i contributes, in the order of the outputs.
using BasisRows = std::vector<std::vector<int32_t>>;

class LinearLayout {
public:
  static constexpr unsigned kMaxDims = 6;
  static constexpr unsigned kMaxBits = 64;
  using DimList = BoundedVector<DimBits, kMaxDims>;

  // Construction -----------------------------------------------------------------------------------------------------

  /// The layout without dimensions, the neutral element of `operator*`.
  LinearLayout() = default;
  static LinearLayout empty() { return {}; }
  /// Returns the layout that maps index i of `in` to index i of `out`, for i < size.
  static LinearLayout identity1D(int32_t size, Dim in, Dim out);
  /// Returns the layout that maps all `size` indices of `in` to index 0 of `out`, which has the size `outSize`.
  static LinearLayout zeros1D(int32_t size, Dim in, Dim out, int32_t outSize = 1);
  /// Returns a layout with the dimensions `ins` and `outs` in which all bases are zero; `setBasis` sets the bases.
  static LinearLayout zeros(std::span<const DimBits> ins, std::span<const DimBits> outs);
  /// Returns the layout with the bases `bases`. The entries of a row are in the order of `outs`, and less than the
  /// sizes in `outs`.
  static LinearLayout fromBases(std::span<const std::pair<Dim, BasisRows>> bases, std::span<const DimBits> outs);

  // Accessors --------------------------------------------------------------------------------------------------------

  std::span<const DimBits> getInDims() const { return ins; }
  std::span<const DimBits> getOutDims() const { return outs; }
  bool hasInDim(Dim dim) const { return find(ins, dim) >= 0; }
  bool hasOutDim(Dim dim) const { return find(outs, dim) >= 0; }
  /// Returns log2 of a dimension's size; 0 if the layout does not have the dimension.
  unsigned getInDimSizeLog2(Dim dim) const { return bitsOf(ins, dim); }
  unsigned getOutDimSizeLog2(Dim dim) const { return bitsOf(outs, dim); }
  int32_t getInDimSize(Dim dim) const { return int32_t(1) << getInDimSizeLog2(dim); }
  int32_t getOutDimSize(Dim dim) const { return int32_t(1) << getOutDimSizeLog2(dim); }
  unsigned getTotalInBits() const { return totalBits(ins); }
  unsigned getTotalOutBits() const { return totalBits(outs); }
  int64_t getTotalInDimSize() const { return int64_t(1) << getTotalInBits(); }
  int64_t getTotalOutDimSize() const { return int64_t(1) << getTotalOutBits(); }

  /// Returns coordinate `out` of L(in = 2^bit), or the whole tuple.
  int32_t getBasis(Dim in, unsigned bit, Dim out) const;
  Coords getBasis(Dim in, unsigned bit) const;
  void setBasis(Dim in, unsigned bit, std::span<const DimIndex> value);
  /// The bases of one input dimension as rows (see BasisRows).
  BasisRows getBasisRows(Dim in) const;

  /// Returns L(index). Input dimensions that are absent from `index` count as 0; coordinates of `index` in dimensions
  /// that the layout does not have must be 0.
  Coords apply(std::span<const DimIndex> index) const;
  Coords apply(std::initializer_list<DimIndex> index) const { return apply(std::span(index.begin(), index.size())); }

  /// Returns L(index) for flattened tuples, first dimension fastest.
  uint64_t applyFlat(uint64_t index) const;
  /// The flattened output of each input bit, first dimension first.
  std::span<const uint64_t> getFlatBases() const { return {columns.data(), getTotalInBits()}; }
  /// The slice of the flattened bases that belongs to one input dimension.
  std::span<const uint64_t> getFlatBases(Dim in) const;
  uint64_t flattenIn(std::span<const DimIndex> index) const { return flatten(ins, index); }
  uint64_t flattenOut(std::span<const DimIndex> index) const { return flatten(outs, index); }
  Coords unflattenIn(uint64_t index) const { return unflatten(ins, index); }
  Coords unflattenOut(uint64_t index) const { return unflatten(outs, index); }

  // Properties ------------------------------------------------------------------------------------------------------

  /// Returns the number of independent bases. The layout reaches 2^rank elements.
  unsigned getRank() const;
  bool isInjective() const { return getRank() == getTotalInBits(); }
  bool isSurjective() const { return getRank() == getTotalOutBits(); }
  bool isInvertible() const { return isInjective() && isSurjective(); }

  /// For each input dimension, the mask of bits whose basis depends on earlier bases (earlier dimensions, then lower
  /// bits). The inputs in which the bits of the masks are 0 reach every element exactly once. A store writes each
  /// element once if only lanes with (lane & mask) == 0 store.
  Coords getFreeVariableMasks() const;

  /// True if the inputs `inDims` do not change the outputs `outDims`.
  bool sublayoutIsZero(std::span<const Dim> inDims, std::span<const Dim> outDims) const;
  bool sublayoutIsZero(std::initializer_list<Dim> inDims, std::initializer_list<Dim> outDims) const {
    return sublayoutIsZero(std::span(inDims.begin(), inDims.size()), std::span(outDims.begin(), outDims.size()));
  }

  /// Width n of the widest vector access, a power of two. Any n consecutive inputs along the first dimension that begin
  /// at a multiple of n map to n consecutive flattened outputs that begin at a multiple of n.
  int32_t getNumConsecutiveInOut() const;

  // Algebra ---------------------------------------------------------------------------------------------------------

  /// Returns the layout of copies of the tile `inner` (this layout) that are arranged by `outer`. In each dimension,
  /// `inner` has the low bits and `outer` the high bits: (inner * outer)(i + size * o) = inner(i) + size * outer(o).
  /// Dimensions keep the order of `inner`; dimensions that only `outer` has follow.
  LinearLayout operator*(const LinearLayout &outer) const;
  LinearLayout &operator*=(const LinearLayout &outer) { return *this = *this * outer; }

  /// Returns x -> outer(this(x)). The outputs of this layout and the inputs of `outer` are the same dimensions, in any
  /// order; the inputs of `outer` may be larger.
  LinearLayout compose(const LinearLayout &outer) const;

  /// Returns the inverse. This layout must be a bijection.
  LinearLayout invert() const;
  /// Returns a right inverse, with L(pseudoinvert(y)) = y. This layout must be surjective. If several inputs hold an
  /// element, the result is the input whose free bits (`getFreeVariableMasks`) are 0.
  LinearLayout pseudoinvert() const;

  /// Returns x -> other^-1(this(x)): the input of `other` that holds the element of input x of this layout. `other` and
  /// this layout have the same output dimensions, in any order, and the image of `other` contains the image of this
  /// layout. If `other` is not injective, the result is chosen for each input bit of this layout separately:
  ///   1. the same bit of the same dimension, if `other` has this bit with the same basis: no data need to move then;
  ///   2. otherwise the input of `other` whose free bits are 0.
  LinearLayout invertAndCompose(const LinearLayout &other) const;

  /// Returns the quotient q with inner * q == this, if there is one. The quotient has the dimensions of this layout.
  std::optional<LinearLayout> divideLeft(const LinearLayout &inner) const;

  // Reshaping --------------------------------------------------------------------------------------------------------

  /// Returns the layout with only the dimensions `inDims` and `outDims`, in the order of this layout. Omitted inputs
  /// are 0, omitted outputs are dropped.
  LinearLayout sublayout(std::span<const Dim> inDims, std::span<const Dim> outDims) const;
  LinearLayout sublayout(std::initializer_list<Dim> inDims, std::initializer_list<Dim> outDims) const {
    return sublayout(std::span(inDims.begin(), inDims.size()), std::span(outDims.begin(), outDims.size()));
  }

  /// Reorders the dimensions; `order` lists each dimension once.
  LinearLayout transposeIns(std::span<const Dim> order) const;
  LinearLayout transposeOuts(std::span<const Dim> order) const;
  LinearLayout transposeIns(std::initializer_list<Dim> order) const {
    return transposeIns(std::span(order.begin(), order.size()));
  }
  LinearLayout transposeOuts(std::initializer_list<Dim> order) const {
    return transposeOuts(std::span(order.begin(), order.size()));
  }

  /// Splits the flattened inputs or outputs into other dimensions with the same total number of bits.
  LinearLayout reshapeIns(std::span<const DimBits> newIns) const;
  LinearLayout reshapeOuts(std::span<const DimBits> newOuts) const;
  LinearLayout flattenIns(Dim name) const;
  LinearLayout flattenOuts(Dim name) const;

  /// Drops the input bits of `in` whose basis is zero (copies).
  LinearLayout removeZeroBases(Dim in) const;

  /// Fits outputs to `shape` (powers of two; dimensions that are not listed stay). In dimensions in which the layout is
  /// larger, high bits are dropped. Bases that consist of dropped bits become 0, so that several inputs hold one
  /// element ("broadcast").
  LinearLayout ensureNotLargerThan(std::span<const DimBits> shape) const;
  /// Repeats the layout along `grow` (more registers) in dimensions in which the layout is smaller than `shape`,
  /// fastest dimension first ("wrap").
  LinearLayout ensureNotSmallerThan(std::span<const DimBits> shape, Dim grow = Dim::Register) const;

  bool operator==(const LinearLayout &other) const;
  size_t hash() const;
  /// Returns a text with one line per basis, for debugging and tests.
  std::string toString() const;

private:
  static int find(const DimList &dims, Dim dim);
  static unsigned bitsOf(const DimList &dims, Dim dim);
  static unsigned totalBits(const DimList &dims);
  /// Position of the first bit of dims[i] in a flattened tuple.
  static unsigned shiftOf(const DimList &dims, int i);
  static uint64_t flatten(const DimList &dims, std::span<const DimIndex> index);
  static Coords unflatten(const DimList &dims, uint64_t index);

  DimList ins, outs;
  std::array<uint64_t, kMaxBits> columns{};
};

/// Returns log2 of `value`, which must be a power of two.
unsigned log2Exact(int64_t value);

} // namespace hocket

template <>
struct std::hash<hocket::LinearLayout> {
  size_t operator()(const hocket::LinearLayout &layout) const { return layout.hash(); }
};

#endif
