//===- RingSlotsFixture.h - Indices of a ring's slots, from the text of a loop --------===//
#ifndef HOCKET_TESTS_UNIT_ANALYSIS_RINGSLOTSFIXTURE_H
#define HOCKET_TESTS_UNIT_ANALYSIS_RINGSLOTSFIXTURE_H

#include "analysis/memory/RingSlots.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace hocket {

/// A loop over i that begins at 0 or at %lower, with carried variables. The operands of "test.use" are the indices
/// under test.
class RingSlotsFixture : public ::testing::Test {
protected:
  RingSlotsFixture() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, hk::HkDialect>();
    context.allowUnregisteredDialects();
  }

  void parse(const std::string &body, const std::string &carried = "", const std::string &lower = "%c0") {
    std::string text = R"(
      func.func @f(%lower: i32, %n: i32, %m: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c3 = arith.constant 3 : i32
        %c4 = arith.constant 4 : i32
        %c64 = arith.constant 64 : i32
    )";
    text += carried.empty()
                ? "scf.for %i = " + lower + " to %n step %c1 : i32 {"
                : "%r = scf.for %i = " + lower + " to %n step %c1 iter_args(" + carried + ") -> i32 : i32 {";
    parseModule(text + body + "} return }");
  }

  /// Parses a module. The indices under test refer to iterations of the last loop.
  void parseModule(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    module->walk([&](mlir::scf::ForOp op) { loop = op; });
    module->walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == "test.use")
        for (mlir::Value operand : op->getOperands())
          indices.push_back(RingIndex::of(operand, loop));
    });
  }

  /// Returns the operands of "test.front", as indices that are used once.
  std::vector<RingIndex> indicesInFront() {
    std::vector<RingIndex> front;
    module->walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == "test.front")
        for (mlir::Value operand : op->getOperands())
          front.push_back(RingIndex::of(operand, {}));
    });
    return front;
  }

  std::optional<int64_t> meet(unsigned earlier, unsigned later, int64_t from) {
    return RingIndex::firstOverlap(indices[earlier], indices[later], from);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::scf::ForOp loop;
  std::vector<RingIndex> indices;
};

} // namespace hocket

#endif
