//===- LayoutImport.cpp - Layout objects of Python as attributes ------------------===//
//
// And the checks of a layout against the kernel that uses it.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/layouts/Layouts.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hocket::frontend {

static bool isA(py::handle object, const char *className) { return py::isinstance(object, languageObject(className)); }

static llvm::SmallVector<int64_t> intsOf(py::handle object, const char *field) {
  llvm::SmallVector<int64_t> result;
  for (py::handle item : object.attr(field))
    result.push_back(item.cast<int64_t>());
  return result;
}

static hk::BasisRows rowsOf(py::handle object, const char *field) {
  hk::BasisRows rows;
  for (py::handle row : object.attr(field))
    rows.push_back(row.cast<hk::BasisRows::value_type>());
  return rows;
}

static mlir::Attribute importPadded(mlir::MLIRContext *context, py::handle object) {
  llvm::SmallVector<int64_t> intervals, paddings;
  for (py::handle pair : object.attr("interval_padding_pairs")) {
    auto [interval, padding] = pair.cast<std::pair<int64_t, int64_t>>();
    intervals.push_back(interval);
    paddings.push_back(padding);
  }
  return hk::PaddedSharedAttr::get(context, intervals, paddings, rowsOf(object, "offset_bases"), hk::BasisRows(),
                                   intsOf(object, "shape"));
}

static mlir::Attribute importMfma(mlir::MLIRContext *context, py::handle object) {
  llvm::SmallVector<int64_t> tilesPerWarp;
  if (!object.attr("tiles_per_warp").is_none())
    tilesPerWarp = intsOf(object, "tiles_per_warp");
  return hk_amd::MfmaAttr::get(context, object.attr("version").cast<int64_t>(), intsOf(object, "instr_shape"),
                               object.attr("transposed").cast<bool>(), intsOf(object, "warps_per_cta"),
                               object.attr("element_bitwidth").cast<int64_t>(), tilesPerWarp);
}

mlir::Attribute layoutFromPython(mlir::MLIRContext *context, py::handle object) {
  auto integer = [&](const char *field) { return object.attr(field).cast<int64_t>(); };
  if (isA(object, "BlockedLayout"))
    return hk::BlockedAttr::get(context, intsOf(object, "size_per_thread"), intsOf(object, "threads_per_warp"),
                                intsOf(object, "warps_per_cta"), intsOf(object, "order"));
  if (isA(object, "SliceLayout")) {
    mlir::Attribute parent = layoutFromPython(context, object.attr("parent"));
    return parent ? hk::SliceAttr::get(context, integer("dim"), parent) : mlir::Attribute();
  }
  if (isA(object, "DistributedLinearLayout"))
    return hk::LinearAttr::get(context, rowsOf(object, "reg_bases"), rowsOf(object, "lane_bases"),
                               rowsOf(object, "warp_bases"), hk::BasisRows(), intsOf(object, "shape"));
  if (isA(object, "DotOperandLayout")) {
    mlir::Attribute parent = layoutFromPython(context, object.attr("parent"));
    if (!llvm::isa_and_nonnull<hk::BlockedAttr, hk::MatrixLayout>(parent))
      return {};
    return hk::DotOperandAttr::get(context, integer("operand_index"), parent, integer("k_width"));
  }
  if (isA(object, "amd.AMDMFMALayout"))
    return importMfma(context, object);
  if (isA(object, "SwizzledSharedLayout"))
    return hk::SwizzledSharedAttr::get(context, integer("vec"), integer("per_phase"), integer("max_phase"),
                                       intsOf(object, "order"));
  if (isA(object, "PaddedSharedLayout"))
    return importPadded(context, object);
  return {};
}

// Checks against the kernel -------------------------------------------------------------------------------------------

namespace {

/// Warps and lanes that a distributed layout was made for.
struct Holders {
  int64_t warps, lanes;
};

} // namespace

static int64_t product(llvm::ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

static Holders holdersOf(mlir::Attribute layout) {
  return llvm::TypeSwitch<mlir::Attribute, Holders>(layout)
      .Case([](hk::BlockedAttr blocked) {
        return Holders{product(blocked.getWarpsPerCta()), product(blocked.getThreadsPerWarp())};
      })
      .Case([](hk_amd::MfmaAttr mfma) { return Holders{product(mfma.getWarpsPerCta()), 64}; })
      .Case([](hk::SliceAttr slice) { return holdersOf(slice.getParent()); })
      .Case([](hk::DotOperandAttr operand) { return holdersOf(operand.getParent()); })
      .Case([](hk::LinearAttr linear) {
        return Holders{int64_t(1) << linear.getWarp().size(), int64_t(1) << linear.getLane().size()};
      })
      .Default([](mlir::Attribute) -> Holders { throw InternalError("layout without warps and lanes"); });
}

/// Whether the layout is that of MFMA accumulators or made from it.
static bool isMatrixLayout(mlir::Attribute layout) {
  if (auto slice = llvm::dyn_cast<hk::SliceAttr>(layout))
    return isMatrixLayout(slice.getParent());
  if (auto operand = llvm::dyn_cast<hk::DotOperandAttr>(layout))
    return isMatrixLayout(operand.getParent());
  return llvm::isa<hk_amd::MfmaAttr>(layout);
}

/// A blocked layout of this rank that fits the kernel, as an example for messages.
static std::string exampleLayout(Emitter &e, unsigned rank) {
  auto list = [&](int64_t last) {
    llvm::SmallVector<int64_t> values(rank, 1);
    values.back() = last;
    return describeShape(values);
  };
  llvm::SmallVector<int64_t> warps(rank, 1), order;
  warps.front() = e.options.numWarps;
  for (unsigned i = 0; i < rank; ++i)
    order.push_back(rank - 1 - i);
  return "gl.BlockedLayout(" + list(1) + ", " + list(e.target.warpSize) + ", " + describeShape(warps) + ", " +
         describeShape(order) + ")";
}

static mlir::Attribute importAt(Emitter &e, const Arguments &args, size_t index, std::string_view kind,
                                const std::string &example) {
  py::object object = args.constexprAt(e, index);
  if (object.is_none())
    e.errorAt(args.where(index), std::string(args.function) + " needs a layout",
              {{}, "name one, such as " + example + "; inferred layouts are not supported yet"});
  for (const char *name : {"AutoLayout", "CoalescedLayout", "SharedLinearLayout"})
    if (isA(object, name))
      e.errorAt(args.where(index), std::string(name) + " is not supported yet", {{}, "use " + example});
  if (mlir::Attribute layout = layoutFromPython(e.context(), object))
    return layout;
  e.errorAt(args.where(index),
            args.what(index) + " must be a " + std::string(kind) + " layout, not " + args[index].describe(),
            {{}, "use one such as " + example});
}

static void checkHolders(Emitter &e, SourceRange where, mlir::Attribute layout) {
  Holders holders = holdersOf(layout);
  auto plural = [](int64_t count, const char *noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  ErrorDetails details{{{"layout", describeLayout(layout)}}, {}};
  if (isMatrixLayout(layout) && e.target.vendor != Vendor::Amd)
    e.errorAt(where,
              "AMDMFMALayout belongs to AMD's matrix cores; this kernel is compiled for " + std::string(e.target.name),
              std::move(details));
  if (holders.warps != e.options.numWarps) {
    details.hint = "launch with num_warps=" + std::to_string(holders.warps) +
                   ", or write gl.num_warps() where the layout counts warps";
    e.errorAt(where,
              "the layout has " + plural(holders.warps, "warp") +
                  " but the kernel runs with num_warps=" + std::to_string(e.options.numWarps),
              std::move(details));
  }
  if (holders.lanes != e.target.warpSize) {
    details.hint = "write gl.num_lanes() where the layout counts lanes";
    e.errorAt(where,
              "the layout has " + plural(holders.lanes, "lane") + " per warp but a warp of " +
                  std::string(e.target.name) + " has " + std::to_string(e.target.warpSize),
              std::move(details));
  }
}

mlir::Attribute distributedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape) {
  std::string example = exampleLayout(e, std::max<size_t>(shape.size(), 1));
  mlir::Attribute layout = importAt(e, args, index, "distributed", example);
  auto distributed = llvm::dyn_cast<hk::DistributedLayout>(layout);
  if (!distributed)
    e.errorAt(args.where(index),
              args.what(index) + " must be a distributed layout, but this one places tiles in shared memory",
              {{{"layout", describeLayout(layout)}}, "use one such as " + example});
  if (distributed.getRank() != shape.size())
    e.errorAt(args.where(index),
              "the layout has rank " + std::to_string(distributed.getRank()) + ", but the shape " +
                  describeShape(shape) + " has rank " + std::to_string(shape.size()),
              {{{"layout", describeLayout(layout)}}, {}});
  checkHolders(e, args.where(index), layout);
  return layout;
}

mlir::Attribute sharedLayoutAt(Emitter &e, const Arguments &args, size_t index, llvm::ArrayRef<int64_t> shape) {
  std::string example = "gl.SwizzledSharedLayout(1, 1, 1, [1, 0])";
  mlir::Attribute layout = importAt(e, args, index, "shared", example);
  auto shared = llvm::dyn_cast<hk::SharedLayout>(layout);
  if (!shared)
    e.errorAt(args.where(index),
              args.what(index) + " must be a shared layout, but this one distributes a tile over registers",
              {{{"layout", describeLayout(layout)}}, "use one such as " + example});
  unsigned rank = shared.getRank();
  if (rank != shape.size() && rank + 1 != shape.size())
    e.errorAt(args.where(index),
              "the layout has rank " + std::to_string(rank) + ", but the shape " + describeShape(shape) + " has rank " +
                  std::to_string(shape.size()),
              {{{"layout", describeLayout(layout)}},
               "the ranks must be equal, or the shape has one leading dimension more: the slots of a ring"});
  auto padded = llvm::dyn_cast<hk::PaddedSharedAttr>(layout);
  if (padded && padded.getShape() != shape.take_back(rank))
    e.errorAt(args.where(index),
              "the layout was made for the shape " + describeShape(padded.getShape()) + ", not for " +
                  describeShape(shape.take_back(rank)),
              {{{"layout", describeLayout(layout)}}, {}});
  return layout;
}

} // namespace hocket::frontend
