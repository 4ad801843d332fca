//===- ImplicitArgumentsTest.cpp - Implicit arguments, appended and found --------------===//
#include "dialect/hk/facts/ImplicitArguments.h"
#include "DialectTest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace hocket::hk {
namespace {

class ImplicitArgumentsTest : public DialectTest {
protected:
  void SetUp() override {
    context.loadDialect<func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"(module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950"} {
      func.func @f(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}) attributes {hk.kernel} { return }
    })",
                                         &context);
    ASSERT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
  }
  ImplicitAttr scratch(int64_t bytesPerLaunch, int64_t bytesPerBlock) {
    return ImplicitAttr::get(&context, ImplicitKind::Scratch, bytesPerLaunch, bytesPerBlock);
  }

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

TEST_F(ImplicitArgumentsTest, FollowThoseOfTheCallerInOrder) {
  EXPECT_TRUE(implicitArgumentsOf(function).empty());
  BlockArgument first = appendImplicitArgument(function, scratch(64, 0));
  BlockArgument second = appendImplicitArgument(function, scratch(0, 1024));
  EXPECT_EQ(first.getArgNumber(), 1u);
  EXPECT_EQ(second.getArgNumber(), 2u);
  EXPECT_EQ(toText(second.getType()), "!hk.ptr<i8>");
  EXPECT_EQ(implicitArgumentsOf(function), (SmallVector<ImplicitAttr>{scratch(64, 0), scratch(0, 1024)}));
  EXPECT_EQ(function.getArgAttrOfType<IntegerAttr>(1, "hk.divisibility").getInt(), kImplicitAlignment);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ImplicitArgumentsTest, AreWrittenAndRead) {
  EXPECT_EQ(parseAttribute("#hk.implicit<scratch, bytes_per_launch = 64, bytes_per_block = 4096>", &context),
            scratch(64, 4096));
}

} // namespace
} // namespace hocket::hk
