//===- AxisInfoTest.cpp - AxisInfo against random programs, executed --------------------===//
//
// Programs of random integer operations on tensors of 32 and 4 x 16 elements are analyzed once and executed many times,
// on arguments that keep their promises. Every fact must hold for every value that occurred. Runs in which 32-bit
// arithmetic overflows are not counted: the analysis assumes that indices do not overflow.
//
//===------------------------------------------------------------------------------===//
#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace hocket;
using namespace mlir;

namespace {

using Elements = std::vector<int64_t>;

class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed), builder(&context) {
    context.loadDialect<hk::HkDialect, arith::ArithDialect, func::FuncDialect>();
    shape = random() % 2 ? SmallVector<int64_t>{32} : SmallVector<int64_t>{4, 16};
    type = RankedTensorType::get(shape, builder.getI32Type());
    module = ModuleOp::create(builder.getUnknownLoc());
    build();
  }
  ~RandomProgram() { module->erase(); }

  func::FuncOp function;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> divisibility; ///< divisibility of each argument
  SmallVector<Value> values;         ///< tensors of the shape, in order

private:
  int64_t pick(ArrayRef<int64_t> choices) { return choices[random() % choices.size()]; }
  Value any() { return values[random() % values.size()]; }

  Value splat(int64_t value) {
    return arith::ConstantOp::create(
        builder, builder.getUnknownLoc(),
        DenseElementsAttr::get(cast<ShapedType>(type), builder.getI32IntegerAttr(static_cast<int32_t>(value))));
  }

  /// Emits an arange along one dimension, broadcast along the others.
  Value arange(unsigned dim) {
    Location loc = builder.getUnknownLoc();
    Type i32 = builder.getI32Type();
    int64_t start = pick({0, 0, 0, 4, 8, 3, -8});
    Value range = hk::ArangeOp::create(builder, loc, RankedTensorType::get({shape[dim]}, i32),
                                       static_cast<int32_t>(start), static_cast<int32_t>(start + shape[dim]));
    if (shape.size() == 1)
      return range;
    SmallVector<int64_t> thin = {1, 1};
    thin[dim] = shape[dim];
    Value expanded = hk::ExpandDimsOp::create(builder, loc, RankedTensorType::get(thin, i32), range, 1 - dim);
    return hk::BroadcastOp::create(builder, loc, type, expanded);
  }

  void build() {
    Location loc = builder.getUnknownLoc();
    Type i32 = builder.getI32Type();
    builder.setInsertionPointToEnd(module.getBody());
    function = func::FuncOp::create(builder, loc, "f", builder.getFunctionType({i32, i32, i32}, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    for (unsigned i = 0; i < 3; ++i) {
      divisibility.push_back(pick({1, 2, 4, 16}));
      hk::kDivisibilityAttr.setOfArgument(function, i, divisibility[i]);
      values.push_back(hk::SplatOp::create(builder, loc, type, block->getArgument(i)));
    }
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      values.push_back(arange(dim));
    for (unsigned i = 0; i < 2; ++i)
      values.push_back(splat(pick({1, 2, 4, 8, 16, 3, 12, 7, 15, -4, -8, 0})));
    for (unsigned i = 0; i < 12; ++i)
      values.push_back(operation());
    func::ReturnOp::create(builder, loc);
  }

  Value operation() {
    Location loc = builder.getUnknownLoc();
    Value a = any(), b = any();
    switch (random() % 17) {
    case 0:
    case 1:
    case 2:
      return arith::AddIOp::create(builder, loc, a, b);
    case 3:
      return arith::SubIOp::create(builder, loc, a, b);
    case 4:
      return arith::MulIOp::create(builder, loc, a, b);
    case 5:
      return arith::DivSIOp::create(builder, loc, a, splat(pick({1, 2, 4, 8, 16, 3, -4})));
    case 6:
      return arith::RemSIOp::create(builder, loc, a, splat(pick({1, 2, 4, 8, 16, 12, -4})));
    case 7:
      return arith::DivUIOp::create(builder, loc, a, splat(pick({1, 2, 4, 8, 16, 3})));
    case 8:
      return arith::RemUIOp::create(builder, loc, a, splat(pick({1, 2, 4, 8, 16, 12})));
    case 9:
      return arith::ShLIOp::create(builder, loc, a, splat(pick({0, 1, 2, 3})));
    case 10:
      return arith::ShRSIOp::create(builder, loc, a, splat(pick({0, 1, 2, 3})));
    case 11:
      return arith::AndIOp::create(builder, loc, a, splat(pick({1, 3, 7, 15, -2, -4, -8, 12, 5})));
    case 12:
      return random() % 2 ? arith::MinSIOp::create(builder, loc, a, b).getResult()
                          : arith::MaxSIOp::create(builder, loc, a, b).getResult();
    case 13:
      return arith::OrIOp::create(builder, loc, a, b);
    case 14: {
      Type narrow = RankedTensorType::get(shape, builder.getIntegerType(4));
      Value small = arith::TruncIOp::create(builder, loc, narrow, a);
      if (random() % 2)
        small = arith::AddIOp::create(builder, loc, small, small);
      return random() % 2 ? arith::ExtSIOp::create(builder, loc, type, small).getResult()
                          : arith::ExtUIOp::create(builder, loc, type, small).getResult();
    }
    default: {
      auto predicate = static_cast<arith::CmpIPredicate>(random() % 10);
      Value less = arith::CmpIOp::create(builder, loc, predicate, a, b);
      return arith::SelectOp::create(builder, loc, less, any(), any());
    }
    }
  }

  MLIRContext context;
  std::mt19937 random;
  OpBuilder builder;
  ModuleOp module;
  RankedTensorType type;
};

/// Executes a program; values are kept as signed numbers of their width.
class Execution {
public:
  Execution(RandomProgram &program, ArrayRef<int64_t> arguments) {
    for (auto [argument, value] : llvm::zip(program.function.getArguments(), arguments))
      results[argument] = {value};
    for (Operation &op : program.function.getBody().front().without_terminator())
      execute(&op);
  }

  const Elements &get(Value value) const { return results.find(value)->second; }
  bool overflowed = false;

private:
  static int64_t count(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor ? tensor.getNumElements() : 1;
  }

  void execute(Operation *op) {
    Value result = op->getResult(0);
    Elements &out = results[result];
    out.resize(count(result));
    unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
    for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
      int64_t exact = evaluate(op, i);
      int64_t wrapped = llvm::SignExtend64(exact, width);
      overflowed |= width == 32 && exact != wrapped;
      out[i] = wrapped;
    }
  }

  int64_t evaluate(Operation *op, int64_t i) {
    auto in = [&](unsigned operand) { return get(op->getOperand(operand))[i]; };
    auto in32 = [&](unsigned operand) { return static_cast<int64_t>(static_cast<uint32_t>(in(operand))); };
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APInt>().getSExtValue();
    if (auto range = dyn_cast<hk::ArangeOp>(op))
      return static_cast<int32_t>(range.getStart()) + i;
    if (isa<hk::SplatOp>(op))
      return get(op->getOperand(0))[0];
    if (isa<hk::ExpandDimsOp>(op))
      return in(0);
    if (isa<hk::BroadcastOp>(op)) {
      int64_t columns = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
      bool isColumn = cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(1) == 1;
      return get(op->getOperand(0))[isColumn ? i / columns : i % columns];
    }
    if (auto cmp = dyn_cast<arith::CmpIOp>(op))
      return arith::applyCmpPredicate(cmp.getPredicate(), APInt(32, in(0), true), APInt(32, in(1), true)) ? -1 : 0;
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case([&](arith::AddIOp) { return in(0) + in(1); })
        .Case([&](arith::SubIOp) { return in(0) - in(1); })
        .Case([&](arith::MulIOp) { return in(0) * in(1); })
        .Case([&](arith::DivSIOp) { return in(0) / in(1); })
        .Case([&](arith::RemSIOp) { return in(0) % in(1); })
        .Case([&](arith::DivUIOp) { return llvm::SignExtend64<32>(in32(0) / in32(1)); })
        .Case([&](arith::RemUIOp) { return llvm::SignExtend64<32>(in32(0) % in32(1)); })
        .Case([&](arith::ShLIOp) { return in(0) << in(1); })
        .Case([&](arith::ShRSIOp) { return in(0) >> in(1); })
        .Case([&](arith::AndIOp) { return in(0) & in(1); })
        .Case([&](arith::OrIOp) { return in(0) | in(1); })
        .Case([&](arith::MinSIOp) { return std::min(in(0), in(1)); })
        .Case([&](arith::MaxSIOp) { return std::max(in(0), in(1)); })
        .Case([&](arith::SelectOp) { return in(0) ? in(1) : in(2); })
        .Case<arith::TruncIOp, arith::ExtSIOp>([&](auto) { return in(0); })
        .Case([&](arith::ExtUIOp) { return in(0) & 15; })
        .Default([](Operation *other) -> int64_t {
          ADD_FAILURE() << "cannot execute " << other->getName().getStringRef().str();
          return 0;
        });
  }

  llvm::DenseMap<Value, Elements> results;
};

/// Returns the elements of `values` along one dimension, for every position in the others.
std::vector<Elements> lines(const Elements &values, ArrayRef<int64_t> shape, unsigned dim) {
  if (shape.size() == 1)
    return {values};
  std::vector<Elements> result(shape[1 - dim]);
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column)
      result[dim == 0 ? column : row].push_back(values[row * shape[1] + column]);
  return result;
}

testing::AssertionResult holds(const AxisInfo &info, const Elements &values, ArrayRef<int64_t> shape) {
  for (auto [dim, facts] : llvm::enumerate(info.dims)) {
    for (const Elements &line : lines(values, shape, dim)) {
      for (size_t i = 0; i < line.size(); ++i) {
        if (i % facts.contiguity == 0 && line[i] % std::min(facts.divisibility, kMaxDivisibility) != 0)
          return testing::AssertionFailure() << "divisibility " << facts.divisibility << ": " << line[i];
        if (i % facts.contiguity != 0 && line[i] != line[i - 1] + 1)
          return testing::AssertionFailure()
                 << "contiguity " << facts.contiguity << ": " << line[i - 1] << ", " << line[i];
        if (i % facts.constancy != 0 && line[i] != line[i - 1])
          return testing::AssertionFailure()
                 << "constancy " << facts.constancy << ": " << line[i - 1] << ", " << line[i];
      }
    }
  }
  if (info.constant && llvm::any_of(values, [&](int64_t value) { return value != *info.constant; }))
    return testing::AssertionFailure() << "constant " << *info.constant;
  if (info.nonNegative && llvm::any_of(values, [](int64_t value) { return value < 0; }))
    return testing::AssertionFailure() << "a negative value";
  return testing::AssertionSuccess();
}

TEST(AxisInfoTest, FactsHoldInRandomPrograms) {
  std::mt19937 random(1);
  unsigned useful = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    RandomProgram program(seed);
    AxisInfoAnalysis analysis(program.function);
    for (unsigned run = 0; run < 8; ++run) {
      SmallVector<int64_t> arguments;
      for (int64_t divisor : program.divisibility)
        arguments.push_back((static_cast<int64_t>(random() % 40) - 20) * divisor);
      Execution executed(program, arguments);
      if (executed.overflowed)
        continue;
      for (Value value : program.values) {
        AxisInfo info = analysis.get(value);
        for (const AxisFacts &facts : info.dims)
          useful += facts.contiguity > 1 || facts.constancy > 1;
        std::string text;
        llvm::raw_string_ostream stream(text);
        info.print(stream);
        ASSERT_TRUE(holds(info, executed.get(value), program.shape)) << [&] {
          std::string dump;
          llvm::raw_string_ostream os(dump);
          os << "seed " << seed << ", value " << value << "\n" << text << "\n";
          program.function.print(os);
          return dump;
        }();
      }
    }
  }
  EXPECT_GT(useful, 10000u);
}

/// The join of facts with different group sizes.
TEST(AxisInfoTest, JoinCutsGroupsToTheSmaller) {
  AxisInfo a, b;
  a.dims.push_back({16, 32, 1});
  b.dims.push_back({4, 64, 1});
  AxisInfo joined = a.join(b);
  EXPECT_EQ(joined.dims[0].contiguity, 4);
  // Groups of 4 inside those of 16 start at multiples of 4 only.
  EXPECT_EQ(joined.dims[0].divisibility, 4);
}

TEST(AxisInfoTest, AccessIsAsWideAsItsAlignment) {
  AxisInfo pointers, mask;
  pointers.dims.push_back({1024, 16, 1});
  EXPECT_EQ(chooseAccess(pointers, nullptr, 32, 128).width, 4);
  EXPECT_EQ(chooseAccess(pointers, nullptr, 16, 128).width, 8);
  EXPECT_EQ(chooseAccess(pointers, nullptr, 64, 128).width, 2);
  pointers.dims[0].divisibility = 8;
  EXPECT_EQ(chooseAccess(pointers, nullptr, 16, 128).width, 4);
  mask.dims.push_back({1, 1, 2});
  EXPECT_EQ(chooseAccess(pointers, &mask, 16, 128).width, 2);
}

} // namespace
