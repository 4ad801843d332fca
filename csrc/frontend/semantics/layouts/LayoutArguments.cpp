//===- LayoutArguments.cpp - Layout arguments: checks against kernel, target and shape ------------===//
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "dialect/hk/layouts/Layouts.h"
#include "frontend/semantics/VendorNames.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/LayoutClass.h"
#include "layout/LayoutWarps.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

/// Returns the text of a BlockedLayout of rank `rank` for the kernel's number of warps and the target's warp size, as
/// an example for messages.
static std::string exampleLayout(Emitter &e, unsigned rank) {
  auto list = [&](int64_t last) {
    llvm::SmallVector<int64_t> values(rank, 1);
    values.back() = last;
    return describeShape(values);
  };
  llvm::SmallVector<int64_t> warps(rank, 1), order;
  warps.front() = layoutWarps(e.options.numWarps);
  for (unsigned i = 0; i < rank; ++i)
    order.push_back(rank - 1 - i);
  return "gl.BlockedLayout(" + list(1) + ", " + list(e.target.warpSize) + ", " + describeShape(warps) + ", " +
         describeShape(order) + ")";
}

/// True if `object` is a layout class such as gl.BlockedLayout, not a layout.
static bool isLayoutClass(py::handle object) {
  return PyType_Check(object.ptr()) &&
         (PyObject_IsSubclass(object.ptr(), languageObject("DistributedLayout").ptr()) == 1 ||
          PyObject_IsSubclass(object.ptr(), languageObject("SharedLayout").ptr()) == 1);
}

static mlir::Attribute importAt(Emitter &e, const Arguments &args, ParameterName parameter, std::string_view kind,
                                const std::string &example) {
  py::object object = args.constexprAt(e, parameter);
  if (object.is_none())
    e.errorAt(args.where(parameter), std::string(args.function) + " needs a layout",
              {{}, "pass one, such as " + example});
  if (mlir::Attribute layout = layoutFromPython(e.context(), object))
    return layout;
  if (isLayoutClass(object)) {
    auto name = object.attr("__name__").cast<std::string>();
    bool takesNone = name == "AutoLayout" || name == "CoalescedLayout";
    e.errorAt(args.where(parameter), args.what(parameter) + " is the class " + name + ", not a layout",
              {{}, takesNone ? "call it: gl." + name + "()" : "call it with its arguments, such as " + example});
  }
  bool isLayout = py::isinstance(object, languageObject("DistributedLayout")) ||
                  py::isinstance(object, languageObject("SharedLayout"));
  if (isLayout)
    e.errorAt(args.where(parameter),
              py::type::of(object).attr("__name__").cast<std::string>() + " is not supported yet",
              {{}, "use " + example});
  e.errorAt(args.where(parameter),
            args.what(parameter) + " must be a " + std::string(kind) + " layout, not " + args[parameter].describe(),
            {{}, "use one such as " + example});
}

/// If argument `parameter` is a PartitionedSharedLayout, returns this layout for a tile of `shape`. Returns null for
/// other layouts.
static mlir::Attribute partitionedAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                     llvm::ArrayRef<int64_t> shape) {
  constexpr const char *kPartitioned = "amd.PartitionedSharedLayout";
  py::object object = args.constexprAt(e, parameter);
  if (!py::isinstance(object, languageObject(kPartitioned)))
    return {};
  if (const VendorInfo *vendor = otherVendorOf(e.target, kPartitioned))
    e.errorAt(args.where(parameter), "PartitionedSharedLayout belongs to " + std::string(vendor->label) +
                                         " GPUs; this kernel is compiled for " + std::string(e.target.name));
  py::list sizes;
  for (int64_t size : shape)
    sizes.append(size);
  try {
    return layoutFromPython(e.context(), object.attr("of_tile")(sizes));
  } catch (py::error_already_set &error) {
    e.errorAt(args.where(parameter), py::str(error.value()).cast<std::string>());
  }
}

/// Returns the names of the targets that support `layout`, such as "gfx942 and gfx950".
static std::string targetsWith(const LayoutClass &layoutClass, mlir::Attribute layout) {
  std::string list;
  for (const TargetInfo &target : allTargets())
    if (layoutClass.existsOn(layout, target))
      list += (list.empty() ? "" : " and ") + std::string(target.name);
  return list;
}

/// Raises an error if the target does not support `layout`, or a layout nested in `layout` such as the parent of a
/// slice.
static void checkExists(Emitter &e, SourceRange where, mlir::Attribute layout) {
  layout.walk([&](mlir::Attribute part) {
    const LayoutClass *layoutClass = layoutClassOf(part);
    if (!layoutClass || !layoutClass->existsOn || layoutClass->existsOn(part, e.target))
      return;
    llvm::StringRef path = layoutClass->pythonName;
    std::string name = path.substr(path.rfind('.') + 1).str();
    e.errorAt(where,
              name + " is for " + targetsWith(*layoutClass, part) + "; this kernel is compiled for " +
                  std::string(e.target.name),
              {{{"layout", describeLayout(layout)}}, {}});
  });
}

/// Raises an error unless `layout` distributes elements over one block or over all blocks of a cluster. `map` is the
/// linear layout of `layout` for an arbitrary shape.
static void checkBlocks(Emitter &e, SourceRange where, mlir::Attribute layout, const LinearLayout &map) {
  int64_t blocks = map.getInDimSize(Dim::Block), numCtas = e.options.numCtas;
  if (blocks == 1 || blocks == numCtas)
    return;
  e.errorAt(where,
            "the layout is for clusters of " + std::to_string(blocks) +
                " blocks (cga_layout) but the kernel runs with "
                "num_ctas=" +
                std::to_string(numCtas),
            {{{"layout", describeLayout(layout)}},
             "launch with num_ctas=" + std::to_string(blocks) +
                 ", or give cga_layout a row for each bit of a block's number"});
}

/// Raises an error unless `layout` has the number of warps of the kernel or worker that is being emitted, the target's
/// number of lanes, and a number of blocks that checkBlocks accepts.
static void checkHolders(Emitter &e, SourceRange where, hk::DistributedLayout layout, llvm::ArrayRef<int64_t> shape) {
  LinearLayout map = layout.toLinearLayout(shape);
  int64_t warps = map.getInDimSize(Dim::Warp), lanes = map.getInDimSize(Dim::Lane);
  auto plural = [](int64_t count, const char *noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  if (warps != layoutWarps(e.options.numWarps)) {
    bool isWorker = !e.worker.empty();
    std::string runs = isWorker ? "the worker `" + e.worker + "` runs on " + plural(e.options.numWarps, "warp")
                                : "the kernel runs with num_warps=" + std::to_string(e.options.numWarps);
    std::string change = isWorker ? "give it " + plural(warps, "warp") + " in worker_num_warps"
                                  : "launch with num_warps=" + std::to_string(warps);
    std::string count = "gl.num_warps()";
    if (e.options.numWarps != layoutWarps(e.options.numWarps))
      count = std::to_string(layoutWarps(e.options.numWarps));
    e.errorAt(
        where, "the layout has " + plural(warps, "warp") + " but " + runs,
        {{{"layout", describeLayout(layout)}}, change + ", or write " + count + " where the layout counts warps"});
  }
  if (lanes != e.target.warpSize)
    e.errorAt(where,
              "the layout has " + plural(lanes, "lane") + " per warp but a warp of " + std::string(e.target.name) +
                  " has " + std::to_string(e.target.warpSize),
              {{{"layout", describeLayout(layout)}}, "write gl.num_lanes() where the layout counts lanes"});
  checkBlocks(e, where, layout, map);
}

mlir::Attribute distributedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                    llvm::ArrayRef<int64_t> shape) {
  std::string example = exampleLayout(e, std::max<size_t>(shape.size(), 1));
  mlir::Attribute layout = importAt(e, args, parameter, "distributed", example);
  if (hk::isUndecided(layout))
    return layout;
  auto distributed = llvm::dyn_cast<hk::DistributedLayout>(layout);
  if (!distributed)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a distributed layout, but this one is for shared memory",
              {{{"layout", describeLayout(layout)}}, "use one such as " + example});
  if (distributed.getRank() != shape.size())
    e.errorAt(args.where(parameter),
              "the layout has rank " + std::to_string(distributed.getRank()) + ", but the shape " +
                  describeShape(shape) + " has rank " + std::to_string(shape.size()),
              {{{"layout", describeLayout(layout)}}, {}});
  checkExists(e, args.where(parameter), layout);
  checkHolders(e, args.where(parameter), distributed, shape);
  return layout;
}

mlir::Attribute layoutOrAutoAt(Emitter &e, const Arguments &args, ParameterName parameter,
                               llvm::ArrayRef<int64_t> shape) {
  return args[parameter].isNone() ? mlir::Attribute(hk::AutoAttr::get(e.context()))
                                  : distributedLayoutAt(e, args, parameter, shape);
}

mlir::Attribute decidedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                llvm::ArrayRef<int64_t> shape) {
  mlir::Attribute layout = distributedLayoutAt(e, args, parameter, shape);
  if (hk::isUndecided(layout))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must determine the position of elements, but " + describeLayout(layout) +
                  " does not",
              {{}, "pass a layout, such as " + exampleLayout(e, std::max<size_t>(shape.size(), 1))});
  return layout;
}

mlir::Attribute sharedLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                               llvm::ArrayRef<int64_t> shape, DType element) {
  std::string example = "gl.SwizzledSharedLayout(1, 1, 1, [1, 0])";
  mlir::Attribute layout = partitionedAt(e, args, parameter, shape);
  if (!layout)
    layout = importAt(e, args, parameter, "shared", example);
  auto shared = llvm::dyn_cast<hk::SharedLayout>(layout);
  if (!shared)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a shared layout, but this one distributes a tile over registers",
              {{{"layout", describeLayout(layout)}}, "use one such as " + example});
  unsigned rank = shared.getRank();
  if (rank != shape.size() && rank + 1 != shape.size())
    e.errorAt(args.where(parameter),
              "the layout has rank " + std::to_string(rank) + ", but the shape " + describeShape(shape) + " has rank " +
                  std::to_string(shape.size()),
              {{{"layout", describeLayout(layout)}},
               "the ranks must be equal; the shape of a ring of buffers has one more dimension, the first one"});
  checkExists(e, args.where(parameter), layout);
  if (std::string whyNot = shared.whyNotTile(shape.take_back(rank), element.toMlir(e.context())); !whyNot.empty())
    e.errorAt(args.where(parameter), whyNot, {{{"layout", describeLayout(layout)}}, {}});
  llvm::ArrayRef<int64_t> tile = shape.take_back(rank);
  // An invalid shape is not reported here, because the callers report it with a more specific message.
  if (llvm::all_of(tile, [](int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); }) && !isTooLarge(tile))
    checkBlocks(e, args.where(parameter), layout, shared.toLinearLayout(tile));
  return layout;
}

} // namespace hocket::frontend
