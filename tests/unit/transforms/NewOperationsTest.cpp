//===- NewOperationsTest.cpp - Passes handle operations of a dialect that they do not depend on -===//
//
// The operations are those of tests/unit/toy_dialect, which implement the interfaces of HkOpInterfaces.td: engines with
// counters of their own, scratch memory, regions that warps run apart.
//
//===------------------------------------------------------------------------------===//
#include "ToyDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "transforms/Passes.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {
class NewOperations : public ::testing::Test {
protected:
  NewOperations() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<hk::HkDialect, toy::ToyDialect, func::FuncDialect, scf::SCFDialect, arith::ArithDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        if (std::string text = note.str(); text.starts_with("hint:"))
          hints += text + "\n";
    });
  }

  void parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      #row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      #four = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
      !tile = tensor<512xf32, #row>
      !smem = !hk.memdesc<512xf32, #shared>
      !ptr = !hk.ptr<f32>
      module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
      func.func @kernel(%p: !ptr, %x: !tile, %n: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
    )" + body + " return } }",
                                         &context);
    ASSERT_TRUE(module) << messages;
  }

  /// Runs `passes` on a kernel with this body.
  void run(const std::string &body, std::vector<std::unique_ptr<Pass>> passes) {
    parse(body);
    PassManager manager(&context);
    for (std::unique_ptr<Pass> &pass : passes)
      manager.addPass(std::move(pass));
    ASSERT_TRUE(succeeded(manager.run(*module))) << messages;
  }

  void runPlaced(const std::string &body) {
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(createAllocateMemory());
    passes.push_back(createInsertBarriers());
    run(body, std::move(passes));
  }

  void allocate(const std::string &body) {
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(createAllocateMemory());
    run(body, std::move(passes));
  }

  void prefetch(const std::string &body) {
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(createPrefetch());
    run(body, std::move(passes));
  }

  /// Returns the message and hint of the pass that checks waits, which rejects a kernel with this body.
  std::string waitErrors(const std::string &body) {
    parse(body);
    PassManager manager(&context);
    manager.addPass(createMinimizeWaits());
    EXPECT_TRUE(failed(manager.run(*module)));
    return messages + hints;
  }

  /// Returns the names of the operations of `block`, without constants.
  static std::string namesOf(Block &block) {
    std::string names;
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::ConstantLike>() && !op.hasTrait<OpTrait::IsTerminator>())
        names += (names.empty() ? "" : " ") + op.getName().stripDialect().str();
    return names;
  }
  std::string names() { return namesOf((*module->getOps<func::FuncOp>().begin()).getBody().front()); }

  /// Returns the hk.offset attributes, in program order.
  std::vector<int64_t> offsets() {
    std::vector<int64_t> found;
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto offset = op->getAttrOfType<IntegerAttr>(hk::HkDialect::kOffsetAttr))
        found.push_back(offset.getInt());
    });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string messages, hints;
};
} // namespace

// Barriers ------------------------------------------------------------------------------------------------------------

TEST_F(NewOperations, BarrierAfterTheWaitOnTheOwnCounter) {
  runPlaced(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    toy.end_fetches
    toy.await_fetches 0
    %y = hk.local_load %a : !smem -> !tile
  )");
  EXPECT_EQ(names(), "local_alloc fetch end_fetches await_fetches barrier local_load");
}

TEST_F(NewOperations, WaitOnAnotherCounterCoversNothing) {
  runPlaced(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    toy.end_fetches
    hk.async_wait_group {outstanding = 0 : i32}
    toy.await_sends 0
    %y = hk.local_load %a : !smem -> !tile
  )");
  EXPECT_EQ(names(), "local_alloc fetch end_fetches async_wait_group await_sends local_load");
}

TEST_F(NewOperations, CommitsOnAnotherCounterDoNotAge) {
  runPlaced(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    toy.end_fetches
    hk.async_commit_group
    toy.await_fetches 1
    %y = hk.local_load %a : !smem -> !tile
  )");
  EXPECT_EQ(names(), "local_alloc fetch end_fetches async_commit_group await_fetches local_load");
}

TEST_F(NewOperations, SharedMemoryIsReusedAfterItHasBeenRead) {
  for (const char *strength : {"read", ""}) {
    runPlaced(std::string(R"(
      %a = hk.local_alloc %x : (!tile) -> !smem
      toy.send %a, %p : !smem -> !ptr
      toy.await_sends 0 )") +
              strength + R"(
      hk.local_store %x, %a : !tile -> !smem
    )");
    // The barrier before the send makes the stores of all warps visible to it.
    EXPECT_EQ(names(), "local_alloc barrier send await_sends barrier local_store") << strength;
  }
}

TEST_F(NewOperations, TheNewestSendMayStillBeRead) {
  runPlaced(R"(
    %a = hk.local_alloc %x : (!tile) -> !smem
    toy.send %a, %p : !smem -> !ptr
    toy.await_sends 1 read
    hk.local_store %x, %a : !tile -> !smem
  )");
  EXPECT_EQ(names(), "local_alloc barrier send await_sends local_store");
}

// Messages about waits ------------------------------------------------------------------------------------------------

TEST_F(NewOperations, TheCounterSpellsTheMissingWait) {
  EXPECT_EQ(
      waitErrors(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    toy.end_fetches
    %y = hk.local_load %a : !smem -> !tile
  )"),
      "this reads the memory while the fetch of line 14 is still in flight: no wait before it finishes the fetch\n"
      "hint: write toy.await_fetches(0, all=True) before line 16\n");
}

TEST_F(NewOperations, TheCounterSpellsTheMissingCommit) {
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    %y = hk.local_load %a : !smem -> !tile
    toy.end_fetches
    toy.await_fetches 0
  )"),
            "this reads the memory while the fetch of line 14 is still in flight: nothing has committed the fetch\n"
            "hint: write toy.end_fetches() after the fetch and toy.await_fetches(0, all=True) before line 15\n");
}

TEST_F(NewOperations, AccessesThatCommitThemselvesNeedNoCommit) {
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc %x : (!tile) -> !smem
    toy.send %a, %p : !smem -> !ptr
    hk.local_store %x, %a : !tile -> !smem
  )"),
            "this writes the memory while the send of line 14 is still in flight: no wait before it finishes the send\n"
            "hint: write toy.await_sends(0) before line 15\n");
}

TEST_F(NewOperations, ACounterWithoutSpellingGetsNoHint) {
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc %x : (!tile) -> !smem
    %y = toy.multiply %a, %x : !smem, !tile
    hk.local_store %x, %a : !tile -> !smem
  )"),
            "this writes the memory while the access of line 14 is still in flight: no wait before it finishes the "
            "access\n");
}

// Liveness and scratch ------------------------------------------------------------------------------------------------

TEST_F(NewOperations, BufferIsLiveUntilTheWait) {
  auto body = [](const std::string &first, const std::string &second) {
    return "%a = hk.local_alloc : () -> !smem\n toy.fetch %p, %a : !ptr -> !smem\n toy.end_fetches\n" + first +
           "\n%b = hk.local_alloc %x : (!tile) -> !smem\n" + second;
  };
  allocate(body("toy.await_fetches 0", ""));
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 0}));
  allocate(body("", "toy.await_fetches 0"));
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 2048}));
  allocate(body("toy.await_sends 0", "toy.await_fetches 0"));
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 2048}));
}

TEST_F(NewOperations, RegionsThatWarpsRunApartShareNoMemory) {
  allocate(R"(
    toy.apart {
      %a = hk.local_alloc %x : (!tile) -> !smem
    }, {
      %b = hk.local_alloc %x : (!tile) -> !smem
    }
  )");
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 2048}));
}

TEST_F(NewOperations, ScratchIsPlaced) {
  runPlaced(R"(
    %y = toy.rotate %x : !tile
    %a = hk.local_alloc %y : (!tile) -> !smem
  )");
  EXPECT_EQ(offsets(), (std::vector<int64_t>{2048, 0}));
  EXPECT_EQ((*module)->getAttrOfType<IntegerAttr>(hk::HkDialect::kSharedBytesAttr).getInt(), 2048 + 64);
}

// Prefetching ---------------------------------------------------------------------------------------------------------

static std::string loopWith(const std::string &awaitProducts) {
  return R"(
    %tile = hk.local_alloc : () -> !smem
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (!tile) : i32 {
      %q = hk.addptr %p, %i : !ptr, i32
      toy.fetch %q, %tile : !ptr -> !smem
      toy.end_fetches
      toy.await_fetches 0
      %next = toy.multiply %tile, %acc : !smem, !tile
      toy.await_products )" +
         awaitProducts + R"(
      scf.yield %next : !tile
    } {hk.num_stages = 3 : i32}
    "test.keep"(%sum) : (!tile) -> ()
  )";
}

TEST_F(NewOperations, FetchesAreStartedAheadOnTheirOwnCounter) {
  context.allowUnregisteredDialects();
  prefetch(loopWith("0"));
  EXPECT_EQ(messages, "");
  std::string body;
  std::vector<int64_t> fetches, products;
  module->walk([&](scf::ForOp loop) {
    if (!loop->getParentOfType<scf::IfOp>() || loop->getBlock() != loop->getParentOfType<scf::IfOp>().thenBlock())
      return;
    for (Operation &op : *loop.getBody())
      if (isa<toy::ToyDialect>(op.getDialect()))
        body += " " + op.getName().stripDialect().str();
    loop.walk([&](toy::AwaitFetchesOp wait) { fetches.push_back(wait.getOutstanding()); });
    loop.walk([&](toy::AwaitProductsOp wait) { products.push_back(wait.getOutstanding()); });
  });
  EXPECT_EQ(body, " await_fetches fetch end_fetches multiply await_products");
  EXPECT_EQ(fetches, (std::vector<int64_t>{1}));
  EXPECT_EQ(products, (std::vector<int64_t>{0}));
}

TEST_F(NewOperations, ProductsOfEarlierIterationsKeepALoopAsItIs) {
  context.allowUnregisteredDialects();
  prefetch(loopWith("1"));
  EXPECT_EQ(messages,
            "this loop is not prefetched: it leaves asynchronous accesses in flight from one iteration to the "
            "next\n");
}
