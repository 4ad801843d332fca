//===- KernelRequests.cpp - Conversion of a specialization to a front end request --===//
#include "bindings/KernelRequests.h"
#include "frontend/Signature.h"
#include "frontend/values/LanguageObjects.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/LaunchError.h"
#include "target/Features.h"
#include "llvm/Support/FormatVariadic.h"
#include <mutex>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

static frontend::ArgumentSpec makeArgument(py::handle type, py::handle value) {
  if (type.is_none())
    return {frontend::ConstexprArgument{py::reinterpret_borrow<py::object>(value)}};
  if (py::isinstance<py::str>(type) && value.is_none())
    return frontend::parseArgument(type.cast<std::string>());
  if (py::isinstance<py::str>(type)) { // a tensor descriptor: only descriptors have both a type text and a value
    std::optional<frontend::ElementType> element = frontend::elementTypeFromPython(value.attr("dtype"));
    return {frontend::DescriptorArgument{element->dtype, value.attr("block_shape").cast<std::vector<int64_t>>(),
                                         value.attr("layout"), value.attr("im2col").cast<unsigned>()}};
  }
  auto types = type.cast<py::tuple>();
  auto values = value.cast<py::tuple>();
  frontend::TupleArgument tuple;
  for (size_t i = 0; i < types.size(); ++i)
    tuple.elements.push_back(makeArgument(types[i], values[i]));
  if (!PyTuple_CheckExact(value.ptr()))
    tuple.pythonClass = py::type::of(value);
  return {std::move(tuple)};
}

/// Throws OutOfResources if `numWarps` exceeds the maximum number of warps of a block on `target`. The Python class
/// Options has already checked that the number of warps is a power of two.
static void checkNumWarps(int numWarps, const TargetInfo &target) {
  if (numWarps > target.maxWarps())
    throw OutOfResources(llvm::formatv("num_warps={} makes {} threads, but a block on {} has at most {} "
                                       "(warps have {} lanes)\n  hint: use num_warps={} or less",
                                       numWarps, numWarps * target.warpSize, target.name, target.maxThreadsPerBlock,
                                       target.warpSize, target.maxWarps()));
}

static void checkNumCtas(int numCtas, const TargetInfo &target) {
  if (numCtas == 1)
    return;
  if (target.maxClusterBlocks == 1)
    throw LaunchError(llvm::formatv("num_ctas={} needs {}; this kernel is compiled for {}\n  hint: leave num_ctas out, "
                                    "and use a smaller tile per program",
                                    numCtas, kClusters.describe(), target.name));
  if (numCtas > target.maxClusterBlocks)
    throw LaunchError(llvm::formatv("num_ctas={}: a cluster on {} has at most {} blocks\n  hint: use num_ctas=8; "
                                    "not every GPU can run clusters of more than 8 blocks",
                                    numCtas, target.name, target.maxClusterBlocks));
}

static frontend::EmitOptions readOptions(py::handle given) {
  frontend::EmitOptions options{.numWarps = given.attr("num_warps").cast<int>()};
  auto read = [&](const char *name, auto &option) {
    if (py::object value = given.attr(name); !value.is_none())
      option = value.cast<std::decay_t<decltype(option)>>();
  };
#define OPTION(type, member, value, name, attribute) read(name, options.member);
#include "frontend/semantics/EmitOptions.def"
  return options;
}

frontend::KernelRequest makeRequest(py::object function, py::handle types, py::handle values, const std::string &target,
                                    py::handle options) {
  frontend::KernelRequest request;
  request.function = std::move(function);
  request.target = findTarget(target);
  if (!request.target)
    throw std::invalid_argument("unknown target `" + target + "`");
  request.options = readOptions(options);
  if (!py::getattr(request.function, "repr", py::none()).is_none())
    request.symbol = request.function.attr("symbol_for")(types, values).cast<std::string>();
  request.profile = options.attr("profile").cast<std::string>();
  checkNumWarps(request.options.numWarps, *request.target);
  checkNumCtas(request.options.numCtas, *request.target);
  auto typeList = types.cast<py::list>(), valueList = values.cast<py::list>();
  for (size_t i = 0; i < typeList.size(); ++i)
    request.arguments.push_back(makeArgument(typeList[i], valueList[i]));
  return request;
}

// Number of compilations after which the pool destroys a context. A context never frees types and attributes, so its
// memory grows with each compilation.
static constexpr int kMaxUses = 200;

namespace {
struct PooledContext {
  std::unique_ptr<mlir::MLIRContext> context;
  int uses;
};
struct ContextPool {
  std::mutex mutex;
  std::vector<PooledContext> idle;
};
} // namespace

static ContextPool &contextPool() {
  static auto *pool = new ContextPool; // never destroyed, because at exit MLIR's globals may be destroyed first
  return *pool;
}

BorrowedContext::BorrowedContext() : uses(0) {
  {
    ContextPool &pool = contextPool();
    std::lock_guard lock(pool.mutex);
    if (!pool.idle.empty()) {
      context = std::move(pool.idle.back().context);
      uses = pool.idle.back().uses;
      pool.idle.pop_back();
      return;
    }
  }
  context = makeContext();
}

BorrowedContext::~BorrowedContext() {
  if (++uses >= kMaxUses)
    return;
  ContextPool &pool = contextPool();
  std::lock_guard lock(pool.mutex);
  pool.idle.push_back({std::move(context), uses});
}

} // namespace hocket::bindings
