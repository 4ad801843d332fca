//===- ReserveMemoryTest.cpp - Several passes reserve shared memory without moving each other's -===//
#include "RandomKernel.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "transforms/ReserveMemory.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {

class ReserveMemory : public testing::Test {
protected:
  void SetUp() override {
    module = ::compile(*context, "module attributes {hk.num_warps = 4 : i32, hk.target = \"gfx942\"} {}",
                       "hocket-allocate-memory");
    ASSERT_TRUE(module);
  }
  FailureOr<int64_t> reserve(int64_t bytes, int64_t alignment, std::string name = "the buffer of a test") {
    return reserveMemory(*module, hk::SharedSpaceAttr::get(context.get()), {{module->getLoc(), name, name, 0, bytes}},
                         alignment);
  }
  int64_t total() { return (*module)->getAttrOfType<IntegerAttr>("hk.shared_bytes").getInt(); }

  std::unique_ptr<MLIRContext> context = makeTileContext();
  OwningOpRef<ModuleOp> module;
};

TEST_F(ReserveMemory, PlacesFollowEachOther) {
  EXPECT_EQ(total(), 0);
  EXPECT_EQ(*reserve(20, 16), 0);
  EXPECT_EQ(total(), 32);
  EXPECT_FALSE((*module)->hasAttr("hk.shared_alignment"));
  EXPECT_EQ(*reserve(8, 128), 128);
  EXPECT_EQ(total(), 144);
  EXPECT_EQ((*module)->getAttrOfType<IntegerAttr>("hk.shared_alignment").getInt(), 128);
}

TEST_F(ReserveMemory, PartsKeepTheirDistances) {
  ASSERT_EQ(*reserve(16, 16), 0);
  ReservedPart a{module->getLoc(), "a", "a", 0, 64}, b{module->getLoc(), "b", "b", 32, 100};
  EXPECT_EQ(*reserveMemory(*module, hk::SharedSpaceAttr::get(context.get()), {a, b}), 16);
  EXPECT_EQ(total(), 160); // 16 + 32 + 100 = 148, up to the next multiple of 16
  auto buffers = hk::kBuffersAttr.get(*module);
  ASSERT_EQ(buffers.size(), 3u);
  EXPECT_EQ(buffers[2].getName(), "b");
  EXPECT_EQ(buffers[2].getOffset(), 48);
  EXPECT_EQ(buffers[2].getBytes(), 100);
}

TEST_F(ReserveMemory, MoreThanABlockHasIsAnErrorAndChangesNothing) {
  ASSERT_EQ(*reserve(60000, 16), 0);
  std::string message;
  std::vector<std::string> notes;
  ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      notes.push_back(note.str());
  });
  EXPECT_TRUE(failed(reserve(8000, 16)));
  EXPECT_EQ(message, "the kernel needs 68000 bytes of shared memory, but a block on gfx942 has 65536");
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0], "8000 bytes for the buffer of a test at -:1"); // where the module was read
  EXPECT_EQ(notes[1], "60000 bytes were reserved before");
  EXPECT_EQ(total(), 60000);
  EXPECT_EQ((*module)->getAttrOfType<ArrayAttr>("hk.buffers").size(), 1u);
}

} // namespace
