//===- Attributes.cpp - Attributes and methods of run-time values -----------------===//
//
// Methods are the builtins of the same name with the value as first argument.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/layouts/Layouts.h"
#include "frontend/semantics/operators/Operators.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/PythonTypes.h"

namespace hocket::frontend {

/// Builtins that are methods of tensors and scalars.
static constexpr std::string_view kTensorMethods[] = {
    "abs",          "associative_scan",
    "atomic_add",   "atomic_and",
    "atomic_cas",   "atomic_max",
    "atomic_min",   "atomic_or",
    "atomic_xchg",  "atomic_xor",
    "broadcast_to", "cast",
    "cdiv",         "ceil",
    "cos",          "erf",
    "exp",          "exp2",
    "expand_dims",  "floor",
    "gather",       "histogram",
    "log",          "log2",
    "logical_and",  "logical_or",
    "max",          "min",
    "permute",      "ravel",
    "reduce",       "reduce_or",
    "reshape",      "rsqrt",
    "sin",          "split",
    "sqrt",         "sqrt_rn",
    "store",        "sum",
    "tanh",         "trans",
    "view",         "xor_sum",
};
static constexpr std::string_view kTensorProperties[] = {"T", "dtype", "layout", "numel", "rank", "shape", "type"};

static constexpr std::string_view kDescriptorMethods[] = {
    "_keep_alive", "_reinterpret", "index", "load", "permute", "reshape", "slice", "store",
};
static constexpr std::string_view kDescriptorProperties[] = {"dtype", "layout", "nbytes_per_cta", "numel", "rank",
                                                             "shape", "type"};

static Value tupleOfSizes(llvm::ArrayRef<int64_t> sizes) {
  py::tuple tuple(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    tuple[i] = py::int_(sizes[i]);
  return Value::constant(std::move(tuple));
}

static py::list listOf(llvm::ArrayRef<int64_t> sizes) {
  py::list list;
  for (int64_t size : sizes)
    list.append(size);
  return list;
}

/// `x.type`: a dtype for a scalar.
static py::object typeObject(const ValueType &type) {
  py::object element = elementTypeToPython(type.element);
  if (type.isScalar())
    return element;
  if (type.isTensor())
    return Emitter::languageObject("distributed_type")(element, listOf(type.shape), layoutToPython(type.layout));
  return Emitter::languageObject("shared_memory_descriptor_type")(element, listOf(type.shape),
                                                                  layoutToPython(type.layout), listOf(type.allocShape));
}

static Value property(Emitter &e, const Runtime &value, std::string_view name) {
  const ValueType &type = value.type;
  if (name == "shape")
    return tupleOfSizes(type.shape);
  if (name == "dtype")
    return Value::constant(elementTypeToPython(type.element));
  if (name == "type")
    return Value::constant(typeObject(type));
  if (name == "numel")
    return Value::constant(py::int_(type.numElements()));
  if (name == "rank")
    return Value::constant(py::int_(type.rank()));
  if (name == "T")
    return transpose(e, value);
  if (name == "nbytes_per_cta")
    return Value::constant(py::int_(llvm::cast<hk::MemDescType>(type.toMlir(e.context())).getAllocBytes()));
  if (type.isScalar())
    e.error("a scalar has no layout", {{{"value", type.toString()}}, {}});
  return Value::constant(layoutToPython(type.layout));
}

template <size_t n>
static bool contains(const std::string_view (&names)[n], std::string_view name) {
  return llvm::is_contained(names, name);
}

Value attribute(Emitter &e, const Value &base, std::string_view name) {
  const Runtime *runtime = base.asRuntime();
  if (!runtime)
    return {};
  bool isDescriptor = runtime->type.isMemDesc();
  if (isDescriptor ? contains(kDescriptorProperties, name) : contains(kTensorProperties, name))
    return property(e, *runtime, name);
  auto method = [&](py::object function) {
    return BoundMethod{std::make_shared<const Value>(base), std::move(function)};
  };
  if (isDescriptor && contains(kDescriptorMethods, name))
    return method(Emitter::languageObject("shared_memory_descriptor").attr(std::string(name).c_str()));
  if (!isDescriptor && name == "to")
    return method(Emitter::languageObject("cast"));
  if (!isDescriptor && contains(kTensorMethods, name))
    return method(Emitter::languageObject(std::string(name).c_str()));
  return {};
}

std::vector<std::string> attributeNames(const Value &base) {
  std::vector<std::string> names;
  auto add = [&](const auto &list) { names.insert(names.end(), std::begin(list), std::end(list)); };
  const Runtime *runtime = base.asRuntime();
  if (!runtime)
    return names;
  if (runtime->type.isMemDesc()) {
    add(kDescriptorMethods);
    add(kDescriptorProperties);
    return names;
  }
  add(kTensorMethods);
  add(kTensorProperties);
  names.push_back("to");
  return names;
}

} // namespace hocket::frontend
