//===- Frontend.cpp - Conversion of a Python kernel to an `hk` module ------------------===//
#include "frontend/Frontend.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/prof/ProfConfig.h"
#include "frontend/emit/KernelEmitter.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"

using namespace hocket;
using namespace hocket::frontend;

void hocket::frontend::loadDialects(mlir::MLIRContext &context) {
  context.loadDialect<hk::HkDialect, hk_amd::HkAmdDialect, hk_nv::HkNvDialect, prof::ProfDialect,
                      mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::ub::UBDialect>();
}

namespace {

/// Maps the parameters of the Python function to arguments of the compiled function.
class ParameterLayout {
public:
  ParameterLayout(mlir::MLIRContext *context, const CallSignature &signature, llvm::ArrayRef<ArgumentSpec> specs)
      : context(context) {
    llvm::SmallVector<size_t> order = codeOrder(signature);
    for (size_t i = 0; i < specs.size(); ++i)
      add(specs[i], signature.names[order[i]], {static_cast<int>(i)});
  }

  /// Returns the index in the `def` of each parameter. The result is in the order of Python's code object, which lists
  /// `*args` and `**kwargs` last.
  static llvm::SmallVector<size_t> codeOrder(const CallSignature &signature) {
    llvm::SmallVector<size_t> order;
    for (bool isStarred : {false, true})
      for (size_t i = 0; i < signature.names.size(); ++i)
        if ((signature.parameters[i].kind >= Parameter::VarArgs) == isStarred)
          order.push_back(i);
    return order;
  }

  std::vector<KernelParameter> parameters;
  std::vector<int64_t> divisibility;

  /// Returns the value that represents the parameter `spec` in the kernel's body. Removes the parameter's block
  /// arguments from the front of `arguments`.
  static Value bind(const ArgumentSpec &spec, llvm::ArrayRef<mlir::BlockArgument> &arguments) {
    if (auto *constant = std::get_if<ConstexprArgument>(&spec.kind))
      return Value::constant(constant->value);
    auto take = [&](ValueType type) {
      Runtime value{arguments.front(), std::move(type)};
      arguments = arguments.drop_front();
      return value;
    };
    if (auto *runtime = std::get_if<RuntimeArgument>(&spec.kind))
      return take(runtime->type);
    if (auto *descriptor = std::get_if<DescriptorArgument>(&spec.kind)) {
      Runtime map = take(mapType(arguments.front().getContext(), *descriptor));
      Tuple shape, strides;
      for (size_t i = 0; i < descriptor->tensorRank(); ++i)
        shape.elements.push_back(take(DType::Int32));
      for (size_t i = 1; i < descriptor->tensorRank(); ++i)
        strides.elements.push_back(take(DType::Int64));
      strides.elements.push_back(Value::constant(py::int_(1)));
      const char *view = descriptor->im2col ? "tensor_descriptor_im2col" : "tensor_descriptor";
      return Tuple{{map, shape, strides}, languageObject(std::string("nvidia.hopper.tma.") + view)};
    }
    const TupleArgument &tuple = std::get<TupleArgument>(spec.kind);
    Tuple value{{}, tuple.pythonClass};
    for (const ArgumentSpec &element : tuple.elements)
      value.elements.push_back(bind(element, arguments));
    return value;
  }

private:
  static ValueType mapType(mlir::MLIRContext *context, const DescriptorArgument &descriptor) {
    return ValueType::tensorDesc(descriptor.dtype, descriptor.blockShape, layoutFromPython(context, descriptor.layout),
                                 descriptor.im2col);
  }

  void add(const ArgumentSpec &spec, const std::string &name, std::vector<int> path) {
    auto addOne = [&](const std::string &name, ValueType type, int64_t multiple) {
      parameters.push_back({name, path, std::move(type)});
      divisibility.push_back(multiple);
    };
    if (auto *runtime = std::get_if<RuntimeArgument>(&spec.kind))
      return addOne(name, runtime->type, runtime->divisibility);
    if (auto *descriptor = std::get_if<DescriptorArgument>(&spec.kind)) {
      addOne(name, mapType(context, *descriptor), 1);
      for (size_t i = 0; i < descriptor->tensorRank(); ++i)
        addOne(name + ".shape[" + std::to_string(i) + "]", DType::Int32, 1);
      // The strides of a tensor descriptor are multiples of 16 bytes. The stride of the last dimension is always one
      // element, so it is not an argument of the compiled kernel.
      for (size_t i = 0; i + 1 < descriptor->tensorRank(); ++i)
        addOne(name + ".strides[" + std::to_string(i) + "]", DType::Int64, 16 / descriptor->dtype.sizeBytes());
      return;
    }
    if (auto *tuple = std::get_if<TupleArgument>(&spec.kind))
      for (size_t i = 0; i < tuple->elements.size(); ++i) {
        std::vector<int> elementPath = path;
        elementPath.push_back(static_cast<int>(i));
        add(tuple->elements[i], name + "[" + std::to_string(i) + "]", std::move(elementPath));
      }
  }

  mlir::MLIRContext *context;
};

} // namespace

/// Sets the module attribute `fact` of an emit option. The function is called only for options whose value is not the
/// default.
template <typename FactT, typename T>
static void setOption(mlir::ModuleOp module, const FactT &fact, const T &value) {
  fact.set(module, value);
}
static void setOption(mlir::ModuleOp module, const hk::FlagFact &fact, bool) { fact.set(module); }
static void setOption(mlir::ModuleOp, const hk::NoFact &, bool) {}

static mlir::OwningOpRef<mlir::ModuleOp> makeModule(mlir::MLIRContext &context, const KernelRequest &request,
                                                    mlir::Location loc) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  hk::kTargetAttr.set(*module, llvm::StringRef(request.target->name));
  const EmitOptions &options = request.options;
  hk::kNumWarpsAttr.set(*module, options.numWarps);
#define OPTION(type, member, value, name, attribute)                                                                   \
  if (options.member != type(value))                                                                                   \
    setOption(*module, attribute, options.member);
#include "frontend/semantics/EmitOptions.def"
  if (!request.profile.empty()) {
    prof::ConfigAttr config = prof::parseConfig(&context, request.profile);
    if (!config)
      throw InternalError("the profiler does not support the options `" + request.profile + "`");
    prof::kConfigAttr.setAttr(*module, config);
  }
  return module;
}

static mlir::func::FuncOp makeFunction(mlir::ModuleOp module, const KernelSource &source, const std::string &symbol,
                                       const ParameterLayout &layout, mlir::Location loc) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module.getBody());
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  llvm::SmallVector<size_t> order = ParameterLayout::codeOrder(*source.signature);
  for (const KernelParameter &parameter : layout.parameters) {
    types.push_back(parameter.type.toMlir(module.getContext()));
    const ast::Node &node = source.tree->parameterNodes[order[parameter.path[0]]];
    mlir::Location place =
        mlir::FileLineColLoc::get(module.getContext(), source.file.path(), node.line, node.column + 1);
    locations.push_back(mlir::NameLoc::get(builder.getStringAttr(parameter.name), place));
  }
  auto function = mlir::func::FuncOp::create(builder, loc, symbol, builder.getFunctionType(types, {}));
  function.setPublic();
  hk::kKernelAttr.set(function);
  for (size_t i = 0; i < types.size(); ++i)
    if (layout.divisibility[i] > 1)
      hk::kDivisibilityAttr.setOfArgument(function, i, layout.divisibility[i]);
  builder.createBlock(&function.getBody(), {}, types, locations);
  return function;
}

/// Raises an internal error if the MLIR verifier rejects the module. The front end reports errors of the user before,
/// so a rejected module is a bug in Hocket.
static void verifyModule(mlir::ModuleOp module) {
  std::string found;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream(found) << "\n  " << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(module)))
    throw InternalError("the front end emitted invalid IR" + found);
}

EmittedModule hocket::frontend::emitModule(mlir::MLIRContext &context, const KernelRequest &request) {
  py::object function = PyFunction_Check(request.function.ptr()) ? request.function : jitFunctionOf(request.function);
  if (!function)
    throw CompileError(
        {.message = "a kernel is a Python function, not " + py::repr(request.function).cast<std::string>(),
         .notes = {},
         .callChain = {}});
  loadDialects(context);
  const KernelSource &source = KernelSource::of(function);
  size_t expected = source.signature->names.size();
  if (request.arguments.size() != expected)
    throw InternalError("`" + source.tree->name + "` has " + std::to_string(expected) + " parameters, but " +
                        std::to_string(request.arguments.size()) + " are described");

  KernelEmitter emitter(&context, *request.target, request.options);
  Frame frame(function, source, nullptr);
  frame.current = &source.tree->header;
  const ast::Node &header = source.tree->header;
  mlir::Location loc = mlir::FileLineColLoc::get(&context, source.file.path(), header.line, header.column + 1);

  EmittedModule result;
  ParameterLayout layout(&context, *source.signature, request.arguments);
  llvm::SmallVector<size_t> order = ParameterLayout::codeOrder(*source.signature);
  result.module = makeModule(context, request, loc);
  mlir::func::FuncOp kernel =
      makeFunction(*result.module, source, request.symbol.empty() ? source.tree->name : request.symbol, layout, loc);
  llvm::ArrayRef<mlir::BlockArgument> arguments = kernel.getArguments();
  for (size_t i = 0; i < expected; ++i)
    frame.bind(static_cast<int>(order[i]), ParameterLayout::bind(request.arguments[i], arguments),
               &source.tree->parameterNodes[order[i]], source.signature->parameters[order[i]].isConstexpr);

  emitter.builder.setInsertionPointToEnd(&kernel.getBody().front());
  emitter.emitBody(frame);
  mlir::func::ReturnOp::create(emitter.builder, loc);
  verifyModule(*result.module);

  result.parameters = std::move(layout.parameters);
  return result;
}
