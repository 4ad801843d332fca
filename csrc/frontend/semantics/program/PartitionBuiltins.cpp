//===- PartitionBuiltins.cpp - warp_specialize ------------------------------------------===//
//
//     gl.warp_specialize([(sum_rows, (x,)), (copy, (y, n))], [4], [24])
//
//     => %s = hk.warp_specialize -> f32 {
//          ...sum_rows(x)...                        emitted in place, for the launch's own warps
//          hk.warp_yield %s : f32
//        } workers {
//          hk.worker "copy"(%y, %n : !hk.ptr<f32>, i32) num_warps = 4 num_regs = 24 {
//          ^bb0(%y0: !hk.ptr<f32>, %n0: i32):
//            ...copy(%y0, %n0)...                   with gl.num_warps() == 4
//          }
//        }
//
// The pass OutlineWorkers, which turns workers into functions, checks conditions on all partitions together, such as
// the number of warps of a block.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/FunctionRegion.h"
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/ValueParts.h"

namespace hocket::frontend {

namespace {
struct Partition {
  Value function;
  std::string name;
  std::vector<Value> arguments;
  int numWarps = 0;
  int numRegisters = 0; ///< register budget per lane; 0 if the call gives no budget
};
} // namespace

static constexpr const char *kForm = "write gl.warp_specialize([(default, (a, b)), (worker, (c,))], [4])";

/// Returns the text of a value for messages; for a function, its name.
static std::string describe(const Value &value) {
  const Constexpr *constant = value.asConstexpr();
  py::object function = constant ? jitFunctionOf(constant->object) : py::object();
  return function ? "the function `" + function.attr("__name__").cast<std::string>() + "`" : value.describe();
}

/// Returns the partition for entry `index` of functions_and_args. An entry is a pair of a function and a tuple of
/// arguments.
static Partition partitionAt(Emitter &e, const Arguments &args, size_t index, const Value &entry) {
  std::string which = "entry " + std::to_string(index) + " of " + args.what("functions_and_args");
  std::optional<std::vector<Value>> pair = entry.asSequence();
  if (!pair || pair->size() != 2)
    e.errorAt(args.where("functions_and_args"),
              which + " must be a pair, (function, arguments), not " + describe(entry), {{}, kForm});
  const Constexpr *function = (*pair)[0].asConstexpr();
  py::object jitFunction = function ? jitFunctionOf(function->object) : py::object();
  if (!jitFunction) {
    bool isPlain = function && PyFunction_Check(function->object.ptr());
    e.errorAt(args.where("functions_and_args"),
              which + " must begin with a @hocket.jit function, not " + describe((*pair)[0]),
              {{}, isPlain ? "decorate it with @hocket.jit" : kForm});
  }
  std::optional<std::vector<Value>> arguments = (*pair)[1].asSequence();
  if (!arguments)
    e.errorAt(args.where("functions_and_args"),
              "the arguments in " + which + " must be a tuple, not " + (*pair)[1].describe(),
              {{}, "a tuple of one element is written (x,)"});
  return {(*pair)[0], jitFunction.attr("__name__").cast<std::string>(), std::move(*arguments)};
}

static std::vector<int64_t> workerNumbersAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                            size_t workers) {
  std::vector<int64_t> numbers = args.intsAt(e, parameter);
  if (numbers.size() != workers)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must have one number for each worker, " + std::to_string(workers) +
                  " in all, but has " + std::to_string(numbers.size()),
              {{},
               "the first entry of the list is the default partition, which runs on the launch's own warps and needs "
               "no number"});
  return numbers;
}

static std::vector<Partition> partitionsAt(Emitter &e, const Arguments &args) {
  std::optional<std::vector<Value>> entries = args["functions_and_args"].asSequence();
  if (!entries)
    e.errorAt(args.where("functions_and_args"),
              args.what("functions_and_args") + " must be a list of (function, arguments), not " +
                  describe(args["functions_and_args"]),
              {{}, kForm});
  if (entries->size() < 2)
    e.errorAt(args.where("functions_and_args"),
              args.what("functions_and_args") + " must have a default partition and workers, but has " +
                  std::to_string(entries->size()) + (entries->size() == 1 ? " entry" : " entries"),
              {{}, kForm});
  std::vector<Partition> partitions;
  for (auto [index, entry] : llvm::enumerate(*entries))
    partitions.push_back(partitionAt(e, args, index, entry));
  size_t workers = partitions.size() - 1;
  for (auto [index, numWarps] : llvm::enumerate(workerNumbersAt(e, args, "worker_num_warps", workers))) {
    if (numWarps != 1 && numWarps != 2 && numWarps != 4 && numWarps != 8)
      e.errorAt(args.where("worker_num_warps"), "worker `" + partitions[index + 1].name +
                                                    "` must have 1, 2, 4 or 8 warps, not " + std::to_string(numWarps));
    partitions[index + 1].numWarps = static_cast<int>(numWarps);
  }
  if (args["worker_num_regs"].isNone())
    return partitions;
  for (auto [index, registers] : llvm::enumerate(workerNumbersAt(e, args, "worker_num_regs", workers))) {
    if (registers % hk::kRegisterUnit || registers < hk::kFewestRegisters || registers > hk::kMostRegisters)
      e.errorAt(args.where("worker_num_regs"), "the registers of worker `" + partitions[index + 1].name +
                                                   "` must be a multiple of 8 from 24 to 256, not " +
                                                   std::to_string(registers));
    partitions[index + 1].numRegisters = static_cast<int>(registers);
  }
  return partitions;
}

/// Raises an error if an argument of `worker` is a tensor in registers, which other warps cannot access.
static void checkCaptured(Emitter &e, const Arguments &args, const Partition &worker) {
  for (auto [index, argument] : llvm::enumerate(worker.arguments))
    forEachRuntime(argument, [&](const Runtime &part) {
      if (part.type.isTensor())
        e.errorAt(args.where("functions_and_args"),
                  "argument " + std::to_string(index + 1) + " of worker `" + worker.name +
                      "` is a tensor: it is in the registers of the launch's own warps",
                  {{{"argument", part.type.toString()}},
                   "make or load it in `" + worker.name + "`, or pass it through shared memory"});
    });
}

/// Emits the function of the default partition into the body of `op`. If the function returns run-time values, replaces
/// `op` by a WarpSpecializeOp with results.
static Value emitBody(Emitter &e, hk::WarpSpecializeOp &op, const Partition &partition) {
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  e.builder.createBlock(&op.getBody());
  Value result = e.call(partition.function, partition.arguments);
  llvm::SmallVector<mlir::Value> values;
  flatten(result, values);
  e.create<hk::WarpYieldOp>(values);
  if (values.empty())
    return result;
  e.builder.setInsertionPoint(op);
  auto withResults = e.create<hk::WarpSpecializeOp>(mlir::ValueRange(values).getTypes());
  withResults.getBody().takeBody(op.getBody());
  op.erase();
  op = withResults;
  mlir::ValueRange results = op.getResults();
  return unflatten(result, results);
}

static void emitWorker(Emitter &e, const Arguments &args, const Partition &partition) {
  Tuple form{partition.arguments, {}};
  llvm::SmallVector<mlir::Value> captures;
  flatten(form, captures);
  mlir::IntegerAttr registers;
  if (partition.numRegisters)
    registers = e.builder.getI32IntegerAttr(partition.numRegisters);
  auto worker = e.create<hk::WorkerOp>(e.builder.getStringAttr(partition.name), captures,
                                       e.builder.getI32IntegerAttr(partition.numWarps), registers);
  WorkerScope scope(e, partition.name, partition.numWarps);
  emitRegion(e, worker.getBody(), {form}, [&](std::vector<Value> parameters) {
    Value result = e.call(partition.function, parameters.front().parts().vec());
    if (!result.isNone())
      e.errorAt(args.where("functions_and_args"),
                "worker `" + partition.name + "` returns " + result.describe() + ", but the kernel cannot use it",
                {{}, "only the first entry of the list may return values; workers store their results"});
    e.create<hk::WorkerEndOp>();
  });
}

static Value warpSpecialize(Emitter &e, Arguments &args) {
  requireFeature(e, e.here(), "the partitions of gl.warp_specialize need", kNamedBarriers,
                 "compile for one of these targets, or let all warps run the same code");
  if (e.isInPartition)
    e.error("gl.warp_specialize cannot be used inside a function that it runs",
            "start all partitions with one call, or one call after the other");
  std::vector<Partition> partitions = partitionsAt(e, args);
  for (const Partition &worker : llvm::drop_begin(partitions))
    checkCaptured(e, args, worker);

  auto op = e.create<hk::WarpSpecializeOp>(mlir::TypeRange());
  e.isInPartition = true;
  Value result = emitBody(e, op, partitions.front());
  {
    mlir::OpBuilder::InsertionGuard guard(e.builder);
    e.builder.createBlock(&op.getWorkers());
    for (const Partition &worker : llvm::drop_begin(partitions))
      emitWorker(e, args, worker);
  }
  e.isInPartition = false;
  return result;
}

std::span<const BuiltinEntry> partitionBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"warp_specialize", warpSpecialize, "(functions_and_args, worker_num_warps, worker_num_regs=None)"}};
  return entries;
}

} // namespace hocket::frontend
