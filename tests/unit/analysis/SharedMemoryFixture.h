//===- SharedMemoryFixture.h - Handles and accesses of shared memory, from text ----------===//
#ifndef HOCKET_TESTS_UNIT_ANALYSIS_SHAREDMEMORYFIXTURE_H
#define HOCKET_TESTS_UNIT_ANALYSIS_SHAREDMEMORYFIXTURE_H

#include "analysis/memory/MemoryAliases.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace hocket {

/// A function of 4 warps with 32 lanes. Tests look up operands of "test.name", and operations with the attribute
/// `test.name`, by that name.
class SharedMemoryFixture : public ::testing::Test {
protected:
  SharedMemoryFixture() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, hk::HkDialect,
                        hk_amd::HkAmdDialect>();
    context.allowUnregisteredDialects();
  }

  /// Tiles are 16 x 32 of f32, 2048 bytes. In the layouts `lanes` and `others`, one lane holds each element.
  void parse(const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      #plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
      #turned = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0, 1]>
      #line = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
      #swizzled = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
      #padded = #hk.padded_shared<intervals = [32], paddings = [4],
        offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], block = [], shape = [16, 32]>
      #lanes = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
      #others = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [4, 8], warps_per_cta = [1, 4], order = [0, 1]>
      #copies = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 4], warps_per_cta = [4, 1], order = [1, 0]>
      !tile = !hk.memdesc<16x32xf32, #plain>
      !turned = !hk.memdesc<32x16xf32, #turned>
      !ring = !hk.memdesc<3x16x32xf32, #plain>
      !rows = tensor<16x32xf32, #lanes>
      !columns = tensor<16x32xf32, #others>
      module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
      func.func @f(%x: !rows, %y: !columns, %n: i32, %k: i32, %p: i1) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c3 = arith.constant 3 : i32
    )" + body + "return } }",
                                                     &context);
    ASSERT_TRUE(module);
    placeBuffers();
    function = *module->getOps<mlir::func::FuncOp>().begin();
  }

  /// Allocates buffers one after the other, in program order, unless the text has offsets.
  void placeBuffers() {
    int64_t offset = 0;
    module->walk<mlir::WalkOrder::PreOrder>([&](hk::LocalAllocOp alloc) {
      if (!alloc.getOffset())
        alloc.setOffset(offset);
      offset += alloc.getType().getAllocBytes();
    });
  }

  mlir::Operation *op(const std::string &name) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      auto attr = op->getAttrOfType<mlir::StringAttr>("test.name");
      found = attr && attr.getValue() == name ? op : found;
    });
    EXPECT_TRUE(found) << name;
    return found;
  }

  mlir::Value handle(const std::string &name) { return op(name)->getOperand(0); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

} // namespace hocket

#endif
