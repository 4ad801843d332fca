//===- NewMemorySpaceTest.cpp - Passes handle a memory space that they do not depend on ---------===//
//
// #toy.bank of tests/unit/toy_dialect is a memory of 4096 bytes, ordered by toy.bank_barrier. Tiles of this kernel take
// 2048 bytes.
//
//===------------------------------------------------------------------------------===//
#include "NewOperationsFixture.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace hocket;

namespace {
class NewMemorySpace : public NewOperations {
protected:
  int64_t bytes(StringRef attribute) {
    auto found = (*module)->getAttrOfType<IntegerAttr>(attribute);
    return found ? found.getInt() : -1;
  }
  void insertFences(const std::string &body) {
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(createAllocateMemory());
    passes.push_back(createInsertBarriers());
    passes.push_back(createInsertProxyFences());
    run(body, std::move(passes));
  }
  /// Returns the errors of parsing and verifying a function with this operation.
  std::string errorOf(const std::string &operation) {
    messages.clear();
    module = parseSourceString<ModuleOp>(R"(
      #row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
      !smem = !hk.memdesc<512xf32, #shared>
      !bank = !hk.memdesc<512xf32, #shared in #toy.bank>
      module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
      func.func @kernel(%a: !bank, %x: tensor<512xf32, #row>) {
    )" + operation + " return } }",
                                         &context);
    EXPECT_FALSE(module) << operation;
    return messages;
  }
  void checkWaits(const std::string &body) {
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(createMinimizeWaits());
    tryRun(body, std::move(passes));
  }
};
} // namespace

// Types ---------------------------------------------------------------------------------------------------------------

TEST_F(NewMemorySpace, ViewsStayInTheSpace) {
  allocate(R"(
    %ring = hk.local_alloc : () -> !hk.memdesc<2x512xf32, #shared in #toy.bank>
    %slot = hk.memdesc_index %ring[%c1] : !hk.memdesc<2x512xf32, #shared in #toy.bank> -> !bank
    %half = hk.memdesc_slice %slot [256] : !bank -> !hk.memdesc<256xf32, #shared in #toy.bank, 512>
  )");
  auto half = *(*module->getOps<func::FuncOp>().begin()).getOps<hk::MemDescSliceOp>().begin();
  std::string text;
  llvm::raw_string_ostream(text) << half.getType();
  EXPECT_NE(text.find(" in #toy.bank, 512>"), std::string::npos) << text;
}

TEST_F(NewMemorySpace, SharedMemoryIsTheDefault) {
  Type type =
      parseType("!hk.memdesc<512xf32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]> in "
                "#hk.shared_space>",
                &context);
  std::string text;
  llvm::raw_string_ostream(text) << type;
  EXPECT_EQ(text.find(" in "), std::string::npos) << text;
}

TEST_F(NewMemorySpace, OperationsOnSharedMemoryRejectOtherSpaces) {
  EXPECT_NE(errorOf("%y = hk.local_load %a : !bank -> tensor<512xf32, #row>").find("handle to a tile in shared memory"),
            std::string::npos)
      << messages;
  EXPECT_NE(errorOf("%b = hk.local_alloc %x : (tensor<512xf32, #row>) -> !bank")
                .find("stores a value into shared memory only, not into bank memory"),
            std::string::npos)
      << messages;
}

TEST_F(NewMemorySpace, ViewsInAnotherSpaceAreRejected) {
  for (const char *view : {"hk.memdesc_slice %a [0]", "hk.memdesc_permute %a [0]"})
    EXPECT_NE(errorOf(std::string("%b = ") + view + " : !bank -> !smem"), "") << view;
  for (const char *view : {"hk.memdesc_reshape %a", "hk.memdesc_reinterpret %a"})
    EXPECT_NE(errorOf(std::string("%b = ") + view + " : !bank -> !smem").find("needs handles in one memory space"),
              std::string::npos)
        << view << messages;
}

// Allocation and liveness ---------------------------------------------------------------------------------------------

TEST_F(NewMemorySpace, SpacesAreAllocatedSeparately) {
  allocate(R"(
    %s = hk.local_alloc %x : (!tile) -> !smem
    %a = hk.local_alloc : () -> !bank
    %b = hk.local_alloc : () -> !bank
    toy.put %x, %a : !tile -> !bank
    toy.put %x, %b : !tile -> !bank
    %y = toy.get %a : !bank -> !tile
    %z = hk.local_load %s : !smem -> !tile
  )");
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 0, 2048}));
  EXPECT_EQ(bytes("hk.shared_bytes"), 2048);
  EXPECT_EQ(bytes("toy.bank_bytes"), 4096);
}

TEST_F(NewMemorySpace, BuffersThatAreNotLiveTogetherShareMemory) {
  allocate(R"(
    %a = hk.local_alloc : () -> !bank
    toy.put %x, %a : !tile -> !bank
    %b = hk.local_alloc : () -> !bank
    toy.put %x, %b : !tile -> !bank
  )");
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(bytes("toy.bank_bytes"), 2048);
  EXPECT_EQ(bytes("hk.shared_bytes"), 0);
}

TEST_F(NewMemorySpace, TheCapacityIsTheOneOfTheSpace) {
  std::vector<std::unique_ptr<Pass>> passes;
  passes.push_back(createAllocateMemory());
  tryRun("%a = hk.local_alloc : () -> !hk.memdesc<2048xf32, #shared in #toy.bank>", std::move(passes));
  EXPECT_FALSE(succeeds);
  EXPECT_NE(messages.find("the kernel needs 8192 bytes of bank memory, but a block on sm_90a has 4096"),
            std::string::npos)
      << messages;
}

TEST_F(NewMemorySpace, ABufferIsLiveUntilTheWaitForItsFetch) {
  allocate(R"(
    %a = hk.local_alloc : () -> !bank
    toy.fetch_to_bank %p, %a : !ptr -> !bank
    toy.end_fetches
    %b = hk.local_alloc : () -> !bank
    toy.put %x, %b : !tile -> !bank
    toy.await_fetches 0
  )");
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 2048}));
}

static std::string loadedTile(const std::string &read) {
  return R"(
    %flag = hk.local_alloc : () -> !flag
    %a = hk.local_alloc : () -> !bank
    toy.load_to_bank %p, %a, %flag : !ptr -> !bank, !flag
    toy.await_flag %flag, %c0 : !flag )" +
         read + R"(
    %b = hk.local_alloc : () -> !bank
    toy.put %x, %b : !tile -> !bank
    toy.raise %flag : !flag
  )";
}

TEST_F(NewMemorySpace, ALoadThatCompletesAtABarrierIsCompleteWhereItIsRead) {
  allocate(loadedTile("%y = toy.get %a : !bank -> !tile"));
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 0, 0}));
}

TEST_F(NewMemorySpace, ALoadThatIsNotReadKeepsItsBufferAsLongAsItsBarrier) {
  allocate(loadedTile(""));
  EXPECT_EQ(offsets(), (std::vector<int64_t>{0, 0, 2048}));
}

// Barriers ------------------------------------------------------------------------------------------------------------

TEST_F(NewMemorySpace, AccessesAreOrderedByTheBarrierOfTheSpace) {
  runPlaced(R"(
    %a = hk.local_alloc : () -> !bank
    toy.put %x, %a : !tile -> !bank
    %y = toy.get %a : !bank -> !tile
  )");
  EXPECT_EQ(names(), "local_alloc put bank_barrier get");
}

TEST_F(NewMemorySpace, ABarrierOrdersItsOwnSpaceAlone) {
  runPlaced(R"(
    %s = hk.local_alloc %x : (!tile) -> !smem
    %a = hk.local_alloc : () -> !bank
    toy.put %x, %a : !tile -> !bank
    hk.barrier
    %y = toy.get %a : !bank -> !tile
    hk.local_store %x, %s : !tile -> !smem
    toy.bank_barrier
    %z = hk.local_load %s : !smem -> tensor<512xf32, #four>
    toy.put %x, %a : !tile -> !bank
  )");
  EXPECT_EQ(names(), "local_alloc local_alloc put barrier bank_barrier get local_store bank_barrier barrier local_load "
                     "put");
}

TEST_F(NewMemorySpace, FetchesBecomeVisibleAtABarrierAfterTheWait) {
  runPlaced(R"(
    %a = hk.local_alloc : () -> !bank
    toy.fetch_to_bank %p, %a : !ptr -> !bank
    toy.end_fetches
    toy.await_fetches 0
    %y = toy.get %a : !bank -> !tile
  )");
  EXPECT_EQ(names(), "local_alloc fetch_to_bank end_fetches await_fetches bank_barrier get");
}

TEST_F(NewMemorySpace, LoadsThatCompleteAtABarrierNeedNoOther) {
  runPlaced(R"(
    %flag = hk.local_alloc : () -> !flag
    %a = hk.local_alloc : () -> !bank
    toy.load_to_bank %p, %a, %flag : !ptr -> !bank, !flag
    toy.await_flag %flag, %c0 : !flag
    %y = toy.get %a : !bank -> !tile
  )");
  EXPECT_EQ(names(), "local_alloc local_alloc load_to_bank await_flag get");
}

TEST_F(NewMemorySpace, ASignalFollowsTheAccessesOfTheSpace) {
  runPlaced(R"(
    %flag = hk.local_alloc : () -> !flag
    %a = hk.local_alloc : () -> !bank
    toy.put %x, %a : !tile -> !bank
    toy.raise %flag : !flag
    toy.raise %flag : !flag
  )");
  EXPECT_EQ(names(), "local_alloc local_alloc put bank_barrier raise raise");
}

TEST_F(NewMemorySpace, AMemoryWithoutTheGenericProxyNeedsNoProxyFences) {
  insertFences(R"(
    %a = hk.local_alloc : () -> !bank
    toy.put %x, %a : !tile -> !bank
    toy.drain %a : !bank
  )");
  EXPECT_EQ(names(), "local_alloc put bank_barrier drain");
}

// Checks of waits -----------------------------------------------------------------------------------------------------

TEST_F(NewMemorySpace, AReadBeforeThePhaseOfItsLoadIsAnError) {
  std::string start = R"(
    %flag = hk.local_alloc : () -> !flag
    %a = hk.local_alloc : () -> !bank
    toy.load_to_bank %p, %a, %flag : !ptr -> !bank, !flag )";
  checkWaits(start + R"(
    toy.await_flag %flag, %c0 : !flag
    %y = toy.get %a : !bank -> !tile
  )");
  EXPECT_TRUE(succeeds) << messages;
  checkWaits(start + R"(
    %y = toy.get %a : !bank -> !tile
    toy.await_flag %flag, %c0 : !flag
  )");
  EXPECT_FALSE(succeeds);
  EXPECT_NE(messages.find("is complete: no wait for its mbarrier comes before it"), std::string::npos) << messages;
}

// Prefetching ---------------------------------------------------------------------------------------------------------

static std::string loopOfFetches(int64_t stages) {
  return R"(
    %tile = hk.local_alloc : () -> !bank
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (!tile) : i32 {
      %q = hk.addptr %p, %i : !ptr, i32
      toy.fetch_to_bank %q, %tile : !ptr -> !bank
      toy.end_fetches
      toy.await_fetches 0
      %y = toy.get %tile : !bank -> !tile
      %next = arith.addf %acc, %y : !tile
      scf.yield %next : !tile
    } {hk.num_stages = )" +
         std::to_string(stages) + R"( : i32}
    "test.keep"(%sum) : (!tile) -> ()
  )";
}

TEST_F(NewMemorySpace, FetchesAreStartedAheadIntoSlotsOfTheSpace) {
  context.allowUnregisteredDialects();
  prefetch(loopOfFetches(2));
  EXPECT_EQ(messages, "");
  std::vector<std::string> rings;
  module->walk([&](hk::LocalAllocOp alloc) {
    EXPECT_TRUE(isa<toy::BankAttr>(alloc.getType().getSpace()));
    rings.push_back(std::to_string(alloc.getType().getShape().front()));
  });
  EXPECT_EQ(rings, std::vector<std::string>{"2"});
}

TEST_F(NewMemorySpace, SlotsThatTheSpaceDoesNotHoldAreRefused) {
  context.allowUnregisteredDialects();
  prefetch(loopOfFetches(3));
  EXPECT_EQ(messages,
            "this loop is not prefetched: rings of 3 buffers would take 6144 bytes of bank memory, but a block has "
            "4096\n");
}
