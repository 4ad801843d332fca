//===- LayoutInferenceTest.cpp - Layouts of views ---------------------------------===//
//
// Tests the form of inferred layouts, and for many layouts that every element keeps its position.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "DialectTest.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/Permutations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <numeric>
#include <random>

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
  EXPECT_EQ(toText(*inferReduce(layout(parent), Shape{16, 32}, 0)), slice(0, parent));
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
  // 4 elements per lane, 8 lanes per row, then 4 lanes and 4 warps down the rows.
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

/// Checks that a register holding element x in `a` holds element `fromAToB(x)` in `b`.
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
      // The reverse direction, which the verifier of hk.expand_dims compares.
      auto sliced = SliceAttr::get(&context, axis, *expanded);
      EXPECT_TRUE(areEquivalentLayouts(shape, layout(text), sliced));
    }
  }
}

// Reverse direction -------------------------------------------------------------------------------------------------

/// Random layouts: Blocked, the same map as rows of bases, slices of either, and operands of a dot.
class Draw {
public:
  Draw(mlir::MLIRContext &context, unsigned seed) : context(context), random(seed) {}

  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(random); }
  int64_t size(int64_t log2End) { return int64_t(1) << below(log2End); }

  Shape shape(unsigned rank) {
    Shape sizes;
    for (unsigned dim = 0; dim < rank; ++dim)
      sizes.push_back(size(4));
    return sizes;
  }

  Order order(unsigned rank) {
    Order dims(rank);
    std::iota(dims.begin(), dims.end(), 0);
    std::shuffle(dims.begin(), dims.end(), random);
    return dims;
  }

  mlir::Attribute layout(llvm::ArrayRef<int64_t> shape) {
    switch (shape.size() > 3 ? below(2) : below(4)) {
    case 0:
      return blocked(shape.size());
    case 1:
      return linearAttrOf(&context, blocked(shape.size()).toLinearLayout(shape));
    case 2: {
      unsigned dim = below(shape.size() + 1);
      Shape parent = expandedShape(shape, dim);
      parent[dim] = size(3);
      return SliceAttr::get(&context, dim, layout(parent));
    }
    default:
      return shape.size() == 2 ? mlir::Attribute(DotOperandAttr::get(&context, below(2), blocked(2), 0))
                               : mlir::Attribute(blocked(shape.size()));
    }
  }

private:
  BlockedAttr blocked(unsigned rank) {
    llvm::SmallVector<int64_t> box, threads, warps, dims;
    for (unsigned dim = 0; dim < rank; ++dim) {
      box.push_back(size(3));
      threads.push_back(size(3));
      warps.push_back(size(2));
    }
    for (int32_t dim : order(rank))
      dims.push_back(dim);
    return BlockedAttr::get(&context, box, threads, warps, dims, {});
  }

  mlir::MLIRContext &context;
  std::mt19937 random;
};

using Rule = llvm::function_ref<mlir::FailureOr<mlir::Attribute>(mlir::Attribute)>;

/// Checks that inferring one side's layout and then back gives an equivalent layout.
void expectUndone(llvm::ArrayRef<int64_t> shape, mlir::Attribute layout, Rule there, Rule back) {
  auto other = there(layout);
  ASSERT_TRUE(mlir::succeeded(other));
  auto again = back(*other);
  ASSERT_TRUE(mlir::succeeded(again));
  EXPECT_TRUE(areEquivalentLayouts(shape, layout, *again)) << toText(layout) << "\n" << toText(*again);
}

TEST_F(LayoutInference, ForwardAndBackwardUndoEachOther) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(context, seed);
    unsigned rank = 1 + draw.below(3);
    Shape shape = draw.shape(rank);
    mlir::Attribute layout = draw.layout(shape);

    // The operand of expand_dims, and the result of a reduction, which does not depend on the size of the axis.
    unsigned axis = draw.below(rank + 1);
    Shape expanded = expandedShape(shape, axis);
    expectUndone(
        shape, layout, [&](auto known) { return inferExpandDims(known, shape, axis); },
        [&](auto known) { return inferReduce(known, expanded, axis); });
    // The result of expand_dims.
    mlir::Attribute wide = draw.layout(expanded);
    expectUndone(
        expanded, wide, [&](auto known) { return inferReduce(known, expanded, axis); },
        [&](auto known) { return inferExpandDims(known, shape, axis); });

    Order order = draw.order(rank);
    expectUndone(
        shape, layout, [&](auto known) { return inferPermute(known, shape, order); },
        [&](auto known) { return inferPermute(known, permuted(shape, order), inverseOrder(order)); });

    Shape flat = {mlir::ShapedType::getNumElements(shape)};
    expectUndone(
        shape, layout, [&](auto known) { return inferReshape(known, shape, flat); },
        [&](auto known) { return inferReshape(known, flat, shape); });
  }
}

TEST_F(LayoutInference, NothingIsKnownOfAnUndecidedLayout) {
  auto undecided = layout("#hk.auto");
  EXPECT_EQ(*inferExpandDims(undecided, Shape{4, 8}, 1), undecided);
  EXPECT_EQ(*inferReduce(undecided, Shape{4, 8}, 1), undecided);
  EXPECT_EQ(*inferReshape(undecided, Shape{4, 8}, Shape{32}), undecided);
  EXPECT_EQ(*inferPermute(undecided, Shape{4, 8}, Order{1, 0}), undecided);
  EXPECT_EQ(inferBroadcast(undecided), undecided);
  // An undecided layout is compatible with every other layout, but equivalent to none.
  auto vector = layout(blocked("4", "32", "4", "0"));
  EXPECT_TRUE(mayBeEquivalentLayouts(Shape{512}, undecided, vector));
  EXPECT_TRUE(mayBeEquivalentLayouts(Shape{512}, vector, undecided));
  EXPECT_FALSE(areEquivalentLayouts(Shape{512}, undecided, vector));
  EXPECT_FALSE(areEquivalentLayouts(Shape{512}, vector, undecided));
  EXPECT_TRUE(areEquivalentLayouts(Shape{512}, undecided, undecided));
}

TEST_F(LayoutInference, OperationsOfferTheRulesInBothDirections) {
  std::string parent = blocked("1, 4", "4, 8", "4, 1", "1, 0");
  std::string text = "%x = ub.poison : tensor<16xf32, #hk.auto>\n"
                     "%0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.auto> -> tensor<16x1xf32, #hk.auto>\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  unsigned count = 0;
  module->walk([&](LayoutInferenceOp op) {
    ++count;
    EXPECT_EQ(toText(*op.inferOperandLayout(layout(parent), nullptr)), slice(1, parent));
    EXPECT_EQ(toText(*op.inferResultLayout(layout(slice(1, parent)), nullptr)), parent);
  });
  EXPECT_EQ(count, 1u);
}

// Shared memory -----------------------------------------------------------------------------------------------------

TEST_F(LayoutInference, MemDescIndexDropsTheSlots) {
  auto type = memDesc("!hk.memdesc<3x64x32xf16, " + swizzled("4", "1, 0") + ">");
  EXPECT_EQ(toText(*inferMemDescIndex(type)), "!hk.memdesc<64x32xf16, " + swizzled("4", "1, 0") + ">");
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferMemDescIndex(*inferMemDescIndex(type), &whyNot)));
  EXPECT_EQ(whyNot, "its layout includes all dimensions; a ring of buffers has one more than its layout");
}

TEST_F(LayoutInference, MemDescPermuteSwapsTheOrderOfASwizzle) {
  auto type = memDesc("!hk.memdesc<3x64x32xf16, " + swizzled("4", "1, 0") + ">");
  EXPECT_EQ(toText(*inferMemDescPermute(type, {0, 2, 1})), "!hk.memdesc<3x32x64xf16, " + swizzled("4", "0, 1") + ">");
}

TEST_F(LayoutInference, MemDescPermuteMovesTheRowsOfAPaddedLayout) {
  std::string padding = "#hk.padded_shared<intervals = [4], paddings = [2], ";
  auto type =
      memDesc("!hk.memdesc<2x4xf16, " + padding + "offset = [[0, 1], [0, 2], [1, 0]], block = [], shape = [2, 4]>>");
  EXPECT_EQ(toText(inferMemDescPermute(type, {1, 0})->getLayout()),
            padding + "offset = [[1, 0], [2, 0], [0, 1]], block = [], shape = [4, 2]>");
}

TEST_F(LayoutInference, MemDescPermuteLeavesSlotsInPlace) {
  auto type = memDesc("!hk.memdesc<4x64x32xf16, " + swizzled("4", "1, 0") + ">");
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferMemDescPermute(type, {1, 0, 2}, &whyNot)));
  EXPECT_EQ(whyNot, "dimension 0 numbers the buffers of a ring and must keep its position");
}

TEST_F(LayoutInference, MemDescReshapeKeepsASwizzleOfRowsThatStay) {
  auto type = memDesc("!hk.memdesc<3x64x32xf16, " + swizzled("4", "1, 0") + ">");
  EXPECT_EQ(toText(*inferMemDescReshape(type, {3, 4, 16, 32})),
            "!hk.memdesc<3x4x16x32xf16, " + swizzled("4", "2, 1, 0") + ">");
}

TEST_F(LayoutInference, MemDescReshapeOfAPlainLayoutMayFlatten) {
  auto type = memDesc("!hk.memdesc<64x32xf16, " + swizzled("1", "1, 0") + ">");
  EXPECT_EQ(toText(inferMemDescReshape(type, {2048})->getLayout()), swizzled("1", "0"));
}

TEST_F(LayoutInference, MemDescReshapeOfASwizzleThatCannotFollowGivesBases) {
  auto type =
      memDesc("!hk.memdesc<2x4xf16, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 2, order = [1, 0]>>");
  EXPECT_EQ(toText(*inferMemDescReshape(type, {8})),
            "!hk.memdesc<8xf16, #hk.shared_linear<offset = [[1], [2], [5]], block = [], alignment = 16>>");
}

TEST_F(LayoutInference, MemDescReshapeNeedsAWholeBuffer) {
  auto type = memDesc("!hk.memdesc<64x16xf16, " + swizzled("1", "1, 0") + ", 64x32>");
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferMemDescReshape(type, {1024}, &whyNot)));
  EXPECT_EQ(whyNot, "the descriptor refers to a part of its buffer, whose elements are not contiguous");
}

// Failures ----------------------------------------------------------------------------------------------------------

TEST_F(LayoutInference, FailuresSayWhy) {
  auto vector = layout(blocked("4", "32", "4", "0"));
  std::string whyNot;
  EXPECT_TRUE(mlir::failed(inferExpandDims(vector, Shape{512}, 2, &whyNot)));
  EXPECT_EQ(whyNot, "axis 2 is out of range for a tensor of rank 1");
  EXPECT_TRUE(mlir::failed(inferExpandDims(nullptr, Shape{512}, 0, &whyNot)));
  EXPECT_EQ(whyNot, "the tensor has no distributed layout");
  EXPECT_TRUE(mlir::failed(inferReduce(vector, Shape{16, 32}, 0, &whyNot)));
  EXPECT_EQ(whyNot, "a tensor of shape [16, 32] cannot have a layout of rank 1");
  EXPECT_TRUE(mlir::failed(inferReduce(vector, Shape{512}, 0, &whyNot)));
  EXPECT_EQ(whyNot, "a tensor of rank 1 reduces to a scalar, which has no layout");
  EXPECT_TRUE(mlir::failed(inferReshape(vector, Shape{512}, Shape{16, 16}, &whyNot)));
  EXPECT_EQ(whyNot, "shapes [512] and [16, 16] have different numbers of elements");
  EXPECT_TRUE(mlir::failed(inferPermute(vector, Shape{512}, Order{1}, &whyNot)));
  EXPECT_EQ(whyNot, "the order must name each of the 1 dimensions once");
}

} // namespace
