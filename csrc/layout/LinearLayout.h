//===- LinearLayout.h - Layouts as linear maps over F2 ----------------------------===//
//
// A *linear layout* maps hardware positions to the elements of a tile. A distributed layout maps a register of a lane
// to the element that the register holds. A shared layout maps an offset of shared memory to the element that is stored
// there. Mathematically, a linear layout is a function from tuples of integers to tuples of integers (all sizes are
// powers of two) that is linear over F2: writing ^ for XOR,
//
//     L(a ^ b) = L(a) ^ L(b)       and therefore       L(0) = 0.
//
// The values of L at the powers of two, its *bases*, therefore determine L. Example: four lanes, each with two
// registers, hold a 4 x 2 tile whose columns are swapped in every other row:
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
// If no two bases have a common bit, XOR equals addition, and L is a strided layout. *Swizzles* (the column swap above)
// are also linear over F2. A linear layout is a matrix with one column per input bit and one row per output bit, so
// layouts can be inverted, composed and divided like matrices.
//
//     compose            register of a lane -> tensor element -> shared memory offset
//     invertAndCompose   register of a lane -> tensor element -> register of a lane in another layout
//     operator*          tile of tiles: (each lane holds a 1x4 box) * (warps are an 8x1 grid of such tiles)
//     divideLeft         arrangement of the copies of a hardware tile of which this layout consists
//     zero bases         inputs that do not change the element: several lanes hold the same element (broadcasting)
//
// Conventions. The dimensions of a layout are ordered. The *first* dimension is the fastest: (a, b) is flattened to a +
// size(a) * b. Flattening, reshaping and counting contiguous elements use this order of dimensions. Row-major tensors
// therefore list their last dimension first (see `transposeOuts`). The operations of this file keep dimensions of size
// 1.
//
// Representation: each basis is one 64-bit word, the flattened output tuple. Flattening and reshaping only relabel the
// dimensions; composing and inverting are XORs of words. A LinearLayout allocates no heap memory.
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

/// Names of the input and output dimensions of layouts. Register, Lane, Warp and Block are hardware positions. Offset
/// is a position in memory. Dim0, Dim1, ... are the dimensions of a tensor, outermost first.
enum class Dim : uint8_t { Register, Lane, Warp, Block, Offset, Dim0, Dim1, Dim2, Dim3, Dim4 };

constexpr unsigned kMaxTensorRank = 5;

/// Returns the enumerator of tensor dimension `i`.
constexpr Dim tensorDim(unsigned i) { return static_cast<Dim>(static_cast<unsigned>(Dim::Dim0) + i); }
constexpr bool isTensorDim(Dim dim) { return dim >= Dim::Dim0; }
/// Returns the number of a tensor dimension, such as 1 for Dim1.
constexpr unsigned tensorDimIndex(Dim dim) { return static_cast<unsigned>(dim) - static_cast<unsigned>(Dim::Dim0); }
/// Returns the name of a dimension, such as "register", "lane" or "dim0".
std::string_view dimName(Dim dim);

/// A dimension of a layout, with 2^bits indices.
struct DimBits {
  Dim dim;
  uint8_t bits;
  int32_t size() const { return int32_t(1) << bits; }
  bool operator==(const DimBits &) const = default;
};

/// One coordinate of a tuple: the index along the dimension `dim`.
struct DimIndex {
  Dim dim;
  int32_t index;
  bool operator==(const DimIndex &) const = default;
};

/// A vector of at most N elements that uses no heap memory, because layouts have many short lists of dimensions and
/// coordinates.
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

/// The bases of one input dimension. Row i is the basis of bit i, with one coordinate per output dimension, in the
/// order of the outputs.
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
  /// Returns the layout with the bases `bases` of each input dimension. The entries of a row are in the order of
  /// `outs`, and each entry is less than the size of its output dimension.
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

  /// Returns the basis of bit `bit` of `in`: its coordinate along `out`, or the whole output tuple.
  int32_t getBasis(Dim in, unsigned bit, Dim out) const;
  Coords getBasis(Dim in, unsigned bit) const;
  void setBasis(Dim in, unsigned bit, std::span<const DimIndex> value);
  /// Returns the bases of the input dimension `in` as rows (see BasisRows).
  BasisRows getBasisRows(Dim in) const;

  /// Returns L(index). Input dimensions that are absent from `index` count as 0; coordinates of `index` in dimensions
  /// that the layout does not have must be 0.
  Coords apply(std::span<const DimIndex> index) const;
  Coords apply(std::initializer_list<DimIndex> index) const { return apply(std::span(index.begin(), index.size())); }

  /// Returns L(index), where the input and the output are flattened tuples, first dimension fastest.
  uint64_t applyFlat(uint64_t index) const;
  /// Returns the bases of all input bits as flattened output tuples, beginning with the first input dimension.
  std::span<const uint64_t> getFlatBases() const { return {columns.data(), getTotalInBits()}; }
  /// Returns the flattened bases of the input dimension `in`.
  std::span<const uint64_t> getFlatBases(Dim in) const;
  uint64_t flattenIn(std::span<const DimIndex> index) const { return flatten(ins, index); }
  uint64_t flattenOut(std::span<const DimIndex> index) const { return flatten(outs, index); }
  Coords unflattenIn(uint64_t index) const { return unflatten(ins, index); }
  Coords unflattenOut(uint64_t index) const { return unflatten(outs, index); }

  // Properties ------------------------------------------------------------------------------------------------------

  /// Returns the number of independent bases. The image of the layout has 2^rank elements.
  unsigned getRank() const;
  bool isInjective() const { return getRank() == getTotalInBits(); }
  bool isSurjective() const { return getRank() == getTotalOutBits(); }
  bool isInvertible() const { return isInjective() && isSurjective(); }

  /// Returns, for each input dimension, the mask of its free bits. A bit is free if its basis is the XOR of earlier
  /// bases (earlier dimensions, then lower bits). The inputs whose free bits are all 0 map to each element of the image
  /// exactly once. A store therefore writes each element once if only lanes whose free bits are 0 store.
  Coords getFreeVariableMasks() const;

  /// True if the inputs along `inDims` do not change the outputs along `outDims`.
  bool sublayoutIsZero(std::span<const Dim> inDims, std::span<const Dim> outDims) const;
  bool sublayoutIsZero(std::initializer_list<Dim> inDims, std::initializer_list<Dim> outDims) const {
    return sublayoutIsZero(std::span(inDims.begin(), inDims.size()), std::span(outDims.begin(), outDims.size()));
  }

  /// Returns the width n of the widest vector access, a power of two. Along the first input dimension, each aligned run
  /// of n inputs maps to an aligned run of n consecutive flattened outputs.
  int32_t getNumConsecutiveInOut() const;

  // Algebra ---------------------------------------------------------------------------------------------------------

  /// Returns the layout that consists of copies of the tile `inner` (this layout), which are arranged as in `outer`. In
  /// each dimension, `inner` has the low bits and `outer` the high bits: (inner * outer)(i + size * o) = inner(i) +
  /// size * outer(o). The dimensions are in the order of `inner`, followed by the dimensions that only `outer` has.
  LinearLayout operator*(const LinearLayout &outer) const;
  LinearLayout &operator*=(const LinearLayout &outer) { return *this = *this * outer; }

  /// Returns the composition x -> outer(this(x)). The outputs of this layout must be the inputs of `outer`, in any
  /// order. The inputs of `outer` may have larger sizes.
  LinearLayout compose(const LinearLayout &outer) const;

  /// Returns the inverse of this layout, which must be a bijection.
  LinearLayout invert() const;
  /// Returns a right inverse R of this layout L, so that L(R(y)) = y. This layout must be surjective. If several inputs
  /// map to y, R(y) is the input whose free bits (`getFreeVariableMasks`) are 0.
  LinearLayout pseudoinvert() const;

  /// Returns x -> other^-1(this(x)), which maps input x of this layout to an input of `other` that holds the same
  /// element. `other` must have the same output dimensions as this layout, in any order. The image of `other` must
  /// contain the image of this layout. If `other` is not injective, the result is chosen for each input bit of this
  /// layout separately:
  ///   1. the same bit of the same dimension, if `other` has this bit with the same basis: no data need to move then;
  ///   2. otherwise the input of `other` whose free bits are 0.
  LinearLayout invertAndCompose(const LinearLayout &other) const;

  /// Returns the quotient q with inner * q == *this; nullopt if there is no such layout. The quotient has the
  /// dimensions of this layout.
  std::optional<LinearLayout> divideLeft(const LinearLayout &inner) const;

  // Reshaping --------------------------------------------------------------------------------------------------------

  /// Returns the layout restricted to the dimensions `inDims` and `outDims`, in the order of this layout. The other
  /// inputs are 0, and the other outputs are dropped.
  LinearLayout sublayout(std::span<const Dim> inDims, std::span<const Dim> outDims) const;
  LinearLayout sublayout(std::initializer_list<Dim> inDims, std::initializer_list<Dim> outDims) const {
    return sublayout(std::span(inDims.begin(), inDims.size()), std::span(outDims.begin(), outDims.size()));
  }

  /// Returns the layout with its inputs or outputs in the order `order`, which contains each dimension once.
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

  /// Removes the input bits of `in` whose basis is zero. These bits select copies of the same element.
  LinearLayout removeZeroBases(Dim in) const;

  /// Limits the sizes of the outputs to `shape`. Outputs that are not in `shape` keep their sizes. In dimensions in
  /// which the layout is larger than `shape`, high bits are dropped. Bases that consist only of dropped bits become 0,
  /// so that several inputs hold the same element ("broadcast").
  LinearLayout ensureNotLargerThan(std::span<const DimBits> shape) const;
  /// Repeats the layout along the input dimension `grow` in each output dimension that is smaller than in `shape`
  /// ("wrap"). The repetition begins with the fastest output dimension.
  LinearLayout ensureNotSmallerThan(std::span<const DimBits> shape, Dim grow = Dim::Register) const;

  bool operator==(const LinearLayout &other) const;
  size_t hash() const;
  /// Returns a text with one line for each input dimension and one line for the outputs, for debugging and tests.
  std::string toString() const;

private:
  static int find(const DimList &dims, Dim dim);
  static unsigned bitsOf(const DimList &dims, Dim dim);
  static unsigned totalBits(const DimList &dims);
  /// Returns the position of the lowest bit of dims[i] in a flattened tuple.
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
