//===- NewOperationsTest.cpp - Passes handle operations of a dialect that they do not depend on -===//
//
// The operations are those of tests/unit/toy_dialect, which implement the interfaces of HkOpInterfaces.td: engines with
// counters of their own, scratch memory, regions that warps run apart.
//
//===------------------------------------------------------------------------------===//
#include "NewOperationsFixture.h"
#include "dialect/hk/facts/Facts.h"

using namespace mlir;
using namespace hocket;

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
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    toy.end_fetches
    %y = hk.local_load %a : !smem -> !tile
  )"),
            "this reads the memory while the fetch of line 16 is still in flight: no earlier wait completes the fetch\n"
            "hint: write toy.await_fetches(0, all=True) before line 18\n");
}

TEST_F(NewOperations, TheCounterSpellsTheMissingCommit) {
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc : () -> !smem
    toy.fetch %p, %a : !ptr -> !smem
    %y = hk.local_load %a : !smem -> !tile
    toy.end_fetches
    toy.await_fetches 0
  )"),
            "this reads the memory while the fetch of line 16 is still in flight: nothing has committed the fetch\n"
            "hint: write toy.end_fetches() after the fetch and toy.await_fetches(0, all=True) before line 17\n");
}

TEST_F(NewOperations, AccessesThatCommitThemselvesNeedNoCommit) {
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc %x : (!tile) -> !smem
    toy.send %a, %p : !smem -> !ptr
    hk.local_store %x, %a : !tile -> !smem
  )"),
            "this writes the memory while the send of line 16 is still in flight: no earlier wait completes the send\n"
            "hint: write toy.await_sends(0) before line 17\n");
}

TEST_F(NewOperations, ACounterWithoutSpellingGetsNoHint) {
  EXPECT_EQ(waitErrors(R"(
    %a = hk.local_alloc %x : (!tile) -> !smem
    %y = toy.multiply %a, %x : !smem, !tile
    hk.local_store %x, %a : !tile -> !smem
  )"),
            "this writes the memory while the access of line 16 is still in flight: no earlier wait completes the "
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
  EXPECT_EQ(hk::kSharedBytesAttr.get(*module), 2048 + 64);
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
