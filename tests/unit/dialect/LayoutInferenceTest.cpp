//===- LayoutInferenceTest.cpp - The layouts of views -----------------------------===//
//
// How they are written, and, for many layouts, that every element stays where it is.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/LayoutInference.h"
#include "DialectTest.h"
#include "dialect/hk/Layouts.h"

using namespace hocket;
using namespace hocket::hk;

namespace {

using Shape = llvm::SmallVector<int64_t>;
using Order = llvm::SmallVector<int32_t>;

class LayoutInference : public DialectTest {
protected:
  std::string expandDims(llvm::StringRef text, Shape shape, unsigned axis) {
    return toText(*inferExpandDims(layout(text), shape, axis));
  }
  std::string reshape(llvm::StringRef text, Shape shape, Shape result) {
    return toText(*inferReshape(layout(text), shape, result));
  }
  std::string permute(llvm::StringRef text, Shape shape, Order order) {
    return toText(*inferPermute(layout(text), shape, order));
  }
};

std::string blocked(std::string size, std::string threads, std::string warps, std::string order) {
  return "#hk.blocked<size_per_thread = [" + size + "], threads_per_warp = [" + threads + "], warps_per_cta = [" +
         warps + "], order = [" + order + "]>";
}

std::string slice(unsigned dim, std::string parent) {
  return "#hk.slice<dim = " + std::to_string(dim) + ", parent = " + parent + ">";
}

std::string swizzled(std::string maxPhase, std::string order) {
  return "#hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = " + maxPhase + ", order = [" + order + "]>";
}

// Expand and reduce -------------------------------------------------------------------------------------------------

TEST_F(LayoutInference, ExpandDimsOfASliceAlongItsDimGivesTheParent) {
  std::string parent = blocked("1, 4", "4, 8", "4, 1", "1, 0");
  EXPECT_EQ(expandDims(slice(1, parent), {16}, 1), parent);
}

TEST_F(LayoutInference, ExpandDimsKeepsBlocked) {
  EXPECT_EQ(expandDims(blocked("4", "32", "4", "0"), {512}, 0), blocked("1, 4", "1, 32", "1, 4", "1, 0"));
  EXPECT_EQ(expandDims(blocked("4", "32", "4", "0"), {512}, 1), blocked("4, 1", "32, 1", "4, 1", "0, 1"));
}

TEST_F(LayoutInference, ExpandDimsOfASliceAlongAnotherDimStaysASlice) {
  std::string parent = blocked("1, 4", "4, 8", "4, 1", "1, 0");
  EXPECT_EQ(expandDims(slice(1, parent), {16}, 0), slice(2, blocked("1, 1, 4", "1, 4, 8", "1, 4, 1", "2, 1, 0")));
}

TEST_F(LayoutInference, ReduceGivesASlice) {
  std::string parent = blocked("1, 4", "4, 8", "4, 1", "1, 0");
  EXPECT_EQ(toText(*inferReduce(layout(parent), 0)), slice(0, parent));
}

// Permute and reshape -----------------------------------------------------------------------------------------------

TEST_F(LayoutInference, PermuteKeepsBlocked) {
  EXPECT_EQ(permute(blocked("1, 2, 4", "4, 8, 1", "1, 1, 4", "2, 0, 1"), {4, 16, 16}, {2, 0, 1}),
            blocked("4, 1, 2", "1, 4, 8", "4, 1, 1", "0, 1, 2"));
}

TEST_F(LayoutInference, PermuteKeepsASlice) {
  EXPECT_EQ(permute(slice(1, blocked("1, 2, 4", "4, 8, 1", "1, 1, 4", "2, 1, 0")), {4, 16}, {1, 0}),
            slice(1, blocked("4, 2, 1", "1, 8, 4", "4, 1, 1", "0, 1, 2")));
}

TEST_F(LayoutInference, ReshapeFindsABlockedLayout) {
  // 4 elements a lane, 8 lanes a row, then 4 lanes and 4 warps down the rows.
  EXPECT_EQ(reshape(blocked("4", "32", "4", "0"), {512}, {16, 32}), blocked("1, 4", "4, 8", "4, 1", "1, 0"));
  EXPECT_EQ(reshape(blocked("1, 4", "4, 8", "4, 1", "1, 0"), {16, 32}, {512}), blocked("4", "32", "4", "0"));
}

TEST_F(LayoutInference, ReshapeOfAWrappedLayoutFindsABlockedLayout) {
  EXPECT_EQ(reshape(blocked("2", "32", "1", "0"), {128}, {2, 64}), blocked("2, 2", "1, 32", "1, 1", "1, 0"));
}

TEST_F(LayoutInference, ReshapeWithCopiesIsLinear) {
  EXPECT_EQ(reshape(blocked("1", "4", "1", "0"), {2}, {2, 1}),
            "#hk.linear<reg = [], lane = [[1, 0], [0, 0]], warp = [], block = [], shape = [2, 1]>");
}

TEST_F(LayoutInference, ReshapeToTheSameShapeKeepsTheLayout) {
  std::string rows = slice(1, blocked("1, 4", "4, 8", "4, 1", "1, 0"));
  EXPECT_EQ(reshape(rows, {16}, {16}), rows);
}

/// Each register of each lane that holds element x by `a` holds element `fromAToB(x)` by `b`.
void expectSamePlaces(const LinearLayout &a, const LinearLayout &b, llvm::function_ref<Coords(Coords)> fromAToB) {
  ASSERT_EQ(a.getTotalInDimSize(), b.getTotalInDimSize());
  for (int64_t place = 0; place < a.getTotalInDimSize(); ++place) {
    Coords in = a.unflattenIn(place);
    EXPECT_EQ(fromAToB(a.apply(in)), b.apply(in)) << "at " << place << "\n" << a.toString() << b.toString();
  }
}

TEST_F(LayoutInference, NoViewMovesAnElement) {
  const Shape shape = {8, 16};
  const std::string base = blocked("2, 4", "4, 2", "1, 2", "1, 0");
  const std::string layouts[] = {
      base,
      blocked("1, 1", "8, 4", "1, 1", "0, 1"),
      slice(0, blocked("1, 1, 2", "2, 4, 4", "2, 1, 1", "2, 1, 0")),
      "#hk.dot_operand<op_idx = 0, parent = " + base + ">",
      "#hk.linear<reg = [[0, 8], [4, 4]], lane = [[1, 1], [2, 2], [0, 4]], warp = [[0, 0], [0, 1], [0, 2]], block = "
      "[], "
      "shape = [8, 16]>",
      "#hk.linear<reg = [], lane = [[0, 1], [1, 0]], warp = [], block = [], shape = [2, 2]>"};
  for (const std::string &text : layouts) {
    SCOPED_TRACE(text);
    LinearLayout map = mapOf(text, shape);

    auto permuted = inferPermute(layout(text), shape, Order{1, 0});
    expectSamePlaces(map, mlir::cast<DistributedLayout>(*permuted).toLinearLayout({16, 8}),
                     [](Coords at) { return Coords{{Dim::Dim0, at[Dim::Dim1]}, {Dim::Dim1, at[Dim::Dim0]}}; });

    auto reshaped = inferReshape(layout(text), shape, Shape{4, 32});
    expectSamePlaces(map, mlir::cast<DistributedLayout>(*reshaped).toLinearLayout({4, 32}), [](Coords at) {
      int32_t index = at[Dim::Dim0] * 16 + at[Dim::Dim1];
      return Coords{{Dim::Dim0, index / 32}, {Dim::Dim1, index % 32}};
    });

    for (unsigned axis : {0, 1, 2}) {
      auto expanded = inferExpandDims(layout(text), shape, axis);
      Shape expandedShape = shape;
      expandedShape.insert(expandedShape.begin() + axis, 1);
      LinearLayout expandedMap = mlir::cast<DistributedLayout>(*expanded).toLinearLayout(expandedShape);
      unsigned first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
      expectSamePlaces(map, expandedMap, [&](Coords at) {
        Coords moved;
        for (unsigned dim = 0; dim < 3; ++dim)
          moved.push_back({tensorDim(dim), dim == first ? at[Dim::Dim0] : dim == second ? at[Dim::Dim1] : 0});
        return moved;
      });
      // And back: what the verifier of hk.expand_dims compares.
      auto sliced = SliceAttr::get(&context, axis, *expanded);
      EXPECT_TRUE(areEquivalentLayouts(shape, layout(text), sliced));
    }
  }
}

// Shared memory -----------------------------------------------------------------------------------------------------

TEST_F(LayoutInference, MemDescPermuteSwapsTheOrderOfASwizzle) {
  auto type = memDesc("!hk.memdesc<3x64x32xf16, " + swizzled("4", "1, 0") + ">");
  EXPECT_EQ(toText(*inferMemDescPermute(type, {0, 2, 1})), swizzled("4", "0, 1"));
}

TEST_F(LayoutInference, MemDescPermuteMovesTheRowsOfAPaddedLayout) {
  std::string padding = "#hk.padded_shared<intervals = [4], paddings = [2], ";
  auto type =
      memDesc("!hk.memdesc<2x4xf16, " + padding + "offset = [[0, 1], [0, 2], [1, 0]], block = [], shape = [2, 4]>>");
  EXPECT_EQ(toText(*inferMemDescPermute(type, {1, 0})),
            padding + "offset = [[1, 0], [2, 0], [0, 1]], block = [], shape = [4, 2]>");
}

TEST_F(LayoutInference, MemDescPermuteLeavesSlotsInPlace) {
  auto type = memDesc("!hk.memdesc<4x64x32xf16, " + swizzled("4", "1, 0") + ">");
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferMemDescPermute(type, {1, 0, 2}, &whyNot)));
  EXPECT_EQ(whyNot, "dimension 0 counts the slots of a ring and must stay where it is");
}

TEST_F(LayoutInference, MemDescReshapeKeepsASwizzleOfRowsThatStay) {
  auto type = memDesc("!hk.memdesc<3x64x32xf16, " + swizzled("4", "1, 0") + ">");
  EXPECT_EQ(toText(*inferMemDescReshape(type, {3, 4, 16, 32})), swizzled("4", "2, 1, 0"));
}

TEST_F(LayoutInference, MemDescReshapeOfAPlainLayoutMayFlatten) {
  auto type = memDesc("!hk.memdesc<64x32xf16, " + swizzled("1", "1, 0") + ">");
  EXPECT_EQ(toText(*inferMemDescReshape(type, {2048})), swizzled("1", "0"));
}

TEST_F(LayoutInference, MemDescReshapeSaysWhyASwizzleCannotFollow) {
  auto type = memDesc("!hk.memdesc<64x32xf16, " + swizzled("4", "1, 0") + ">");
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferMemDescReshape(type, {2048}, &whyNot)));
  EXPECT_EQ(whyNot,
            "no swizzled layout of shape [2048] has this swizzle; reshape only dimensions that the swizzle does "
            "not use, or use a padded layout");
}

TEST_F(LayoutInference, MemDescReshapeNeedsAWholeBuffer) {
  auto type = memDesc("!hk.memdesc<64x16xf16, " + swizzled("1", "1, 0") + ", 64x32>");
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferMemDescReshape(type, {1024}, &whyNot)));
  EXPECT_EQ(whyNot, "the descriptor shows only a part of its buffer, whose elements do not follow each other");
}

// Failures ----------------------------------------------------------------------------------------------------------

TEST_F(LayoutInference, FailuresSayWhy) {
  auto vector = layout(blocked("4", "32", "4", "0"));
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferExpandDims(vector, Shape{512}, 2, &whyNot)));
  EXPECT_EQ(whyNot, "axis 2 is out of range for a tensor of rank 1");
  EXPECT_TRUE(mlir::failed(inferExpandDims(nullptr, Shape{512}, 0, &whyNot)));
  EXPECT_EQ(whyNot, "the tensor has no distributed layout");
  EXPECT_TRUE(mlir::failed(inferReduce(vector, 0, &whyNot)));
  EXPECT_EQ(whyNot, "a tensor of rank 1 reduces to a scalar, which has no layout");
  EXPECT_TRUE(mlir::failed(inferReshape(vector, Shape{512}, Shape{16, 16}, &whyNot)));
  EXPECT_EQ(whyNot, "shapes [512] and [16, 16] have different numbers of elements");
  EXPECT_TRUE(mlir::failed(inferPermute(vector, Shape{512}, Order{1}, &whyNot)));
  EXPECT_EQ(whyNot, "the order must name each of the 1 dimensions once");
}

} // namespace
