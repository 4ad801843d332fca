//===- RandomKernel.cpp - Random programs over shared memory ----------------------===//
#include "RandomKernel.h"

#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "transforms/Passes.h"

#include <cstdlib>

using namespace mlir;

namespace hocket {

static constexpr char kTypes[] = R"(
#w = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#r = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!stored = tensor<512xf32, #w>
!loaded = tensor<512xf32, #r>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<2x512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @kernel(%x: !stored, %from: tensor<512x!hk.ptr<f32>, #w>, %p: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
)";

namespace {
class Writer {
public:
  Writer(std::mt19937 &random, bool scattered, bool async, bool rotating)
      : random(random), scattered(scattered), async(async), rotating(rotating) {}

  std::string write() {
    std::string text = kTypes;
    text += "  %ring = hk.local_alloc : () -> !ring\n";
    for (int slot = 0; slot < 2; ++slot)
      text += "  %b" + std::to_string(slot) + " = hk.memdesc_index %ring[%c" + std::to_string(slot) +
              "] : !ring -> !smem\n";
    text += "  %b2 = hk.local_alloc : () -> !smem\n";
    body(text, 0);
    // Uses at the end keep these buffers separate from each other and from those allocated in between.
    for (int buffer = 0; buffer < 3; ++buffer)
      text +=
          "  %end" + std::to_string(buffer) + " = hk.local_load %b" + std::to_string(buffer) + " : !smem -> !loaded\n";
    return text + "  return\n}\n}\n";
  }

private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); }
  std::string fresh() { return "%v" + std::to_string(next++); }

  void body(std::string &text, int depth) {
    for (int count = 1 + pick(4); count > 0; --count)
      statement(text, depth);
  }

  /// Appends copies and waits for them.
  void asyncStatement(std::string &text, const std::string &buffer) {
    switch (pick(6)) {
    case 0:
    case 1:
      text += "hk.async_copy_to_shared %from, " + buffer + " : tensor<512x!hk.ptr<f32>, #w> -> !smem\n";
      break;
    case 2:
    case 3:
      text += "hk.async_commit_group\n";
      break;
    case 4:
      text += "hk.async_wait_group {outstanding = " + std::to_string(pick(3)) + " : i32}\n";
      break;
    case 5:
      text += fresh() + " = hk.local_load " + buffer + " relaxed : !smem -> !loaded\n";
      break;
    }
  }

  /// Appends slot (k or k + 1) % 2 of the ring buffer in iteration k of the innermost loop.
  std::string rotatingBuffer(std::string &text) {
    std::string sum = fresh(), index = fresh(), buffer = fresh();
    text += sum + " = arith.addi " + loops.back() + ", %c" + std::to_string(pick(2)) + " : i32\n";
    text += index + " = arith.remsi " + sum + ", %c2 : i32\n";
    text += buffer + " = hk.memdesc_index %ring[" + index + "] : !ring -> !smem\n";
    return buffer;
  }

  void statement(std::string &text, int depth) {
    std::string buffer = "%b" + std::to_string(pick(3));
    if (rotating && !loops.empty() && pick(2))
      buffer = rotatingBuffer(text);
    if (async && pick(2))
      return asyncStatement(text, buffer);
    switch (pick(depth < 3 ? 10 : 6)) {
    case 0:
    case 1:
      text += "hk.local_store %x, " + buffer + " : !stored -> !smem\n";
      break;
    case 2:
    case 3:
      text += fresh() + " = hk.local_load " + buffer + " : !smem -> !loaded\n";
      break;
    case 4:
      text += "hk.barrier\n";
      break;
    case 5:
      if (scattered) {
        std::string own = fresh();
        text += own + " = hk.local_alloc %x : (!stored) -> !smem\n";
        text += fresh() + " = hk.local_load " + own + " : !smem -> !loaded\n";
      }
      break;
    case 6:
    case 7:
      text += "scf.if %p {\n";
      body(text, depth + 1);
      if (pick(2)) {
        text += "} else {\n";
        body(text, depth + 1);
      }
      text += "}\n";
      break;
    case 8:
      loops.push_back(fresh());
      text += "scf.for " + loops.back() + " = %c0 to %n step %c1 : i32 {\n";
      body(text, depth + 1);
      loops.pop_back();
      text += "}\n";
      break;
    case 9:
      whileLoop(text, depth);
      break;
    }
  }

  /// Both regions of an iteration use the same index, under names of their own.
  void whileLoop(std::string &text, int depth) {
    std::string tested = fresh(), passed = fresh(), sum = fresh();
    text += fresh() + " = scf.while (" + tested + " = %c0) : (i32) -> i32 {\n";
    loops.push_back(tested);
    body(text, depth + 1);
    text += "scf.condition(%p) " + tested + " : i32\n} do {\n^bb0(" + passed + ": i32):\n";
    loops.back() = passed;
    body(text, depth + 1);
    loops.pop_back();
    text += sum + " = arith.addi " + passed + ", %c1 : i32\n";
    text += "scf.yield " + sum + " : i32\n}\n";
  }

  std::mt19937 &random;
  bool scattered, async, rotating;
  std::vector<std::string> loops; ///< the counters of the loops around, innermost last
  int next = 0;
};
} // namespace

std::unique_ptr<MLIRContext> makeTileContext() {
  auto context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<hk::HkDialect, hk_amd::HkAmdDialect, func::FuncDialect, scf::SCFDialect, arith::ArithDialect>();
  return context;
}

std::string randomKernel(std::mt19937 &random, bool scattered, bool async, bool rotating) {
  return Writer(random, scattered, async, rotating).write();
}

OwningOpRef<ModuleOp> compile(MLIRContext &context, const std::string &text, const std::string &passes) {
  static const bool registered = (registerTransformPasses(), true);
  (void)registered;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager manager(&context);
  if (!module || failed(parsePassPipeline(passes, manager)) || failed(manager.run(*module)))
    return {};
  return module;
}

int roundsOf(int usual) {
  const char *times = std::getenv("HOCKET_RANDOM_WAITS");
  return usual * (times ? std::atoi(times) : 1);
}

} // namespace hocket
