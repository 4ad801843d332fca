//===- Specialization.cpp - Conversion of Python's arguments to a key and values -------===//
#include "bindings/dispatch/Specialization.h"
#include "bindings/dispatch/Descriptor.h"
#include "bindings/dispatch/DescriptorForm.h"
#include "bindings/dispatch/Elements.h"
#include "runtime/LaunchError.h"
#include <bit>

namespace py = pybind11;

namespace hocket::dispatch {

namespace {

/// Converts the arguments of one call to codes of the key and to values for the kernel.
class Specializer {
public:
  Specializer(const Signature &signature, const ConstantTypes &constants, Specialization &out)
      : signature(signature), constants(constants), out(out) {}

  void run(const BoundArguments &bound) {
    for (size_t i = 0; i < signature.parameters.size(); ++i) {
      parameter = &signature.parameters[i];
      add(bound.slots[i], parameter->mode);
    }
  }

private:
  void add(PyObject *object, ParameterMode mode) {
    if (mode == ParameterMode::Constexpr)
      return addConstant(object);
    if (parameter->declaredType)
      return addDeclared(object);
    if (PyLong_CheckExact(object))
      return addInteger(object, mode);
    if (PyFloat_CheckExact(object))
      return addScalar(Element::Float32, std::bit_cast<uint32_t>(float(PyFloat_AS_DOUBLE(object))));
    if (object == Py_None)
      return out.key.append({.kind = CodeKind::None});
    if (PyBool_Check(object))
      return addScalar(Element::Int1, object == Py_True);
    if (LaunchDescriptor *formed = descriptorOfFormed(object))
      return addDescriptor(*formed);
    if (const ArrayType &type = arrayTypeOf(Py_TYPE(object)); type.reader != ArrayReader::NotAnArray)
      return addArray(object, type, mode);
    addUncommon(object, mode);
  }

  void addArray(PyObject *object, const ArrayType &type, ParameterMode mode) {
    ArrayMemory memory = readArray(object, type, parameter->text);
    out.placement.add(memory, parameter->text.c_str(), signature.function);
    if (!memory.isOnGpu)
      out.hostArrays.push_back({uint32_t(out.values.size()), memory, object});
    else if (!out.gpuType)
      out.gpuType = &type;
    auto address = reinterpret_cast<uintptr_t>(memory.address);
    out.key.append(
        {.kind = CodeKind::Pointer, .element = memory.element, .isDivisible = isDivisibleAddress(address, mode)});
    out.values.append(address);
  }

  /// Adds the values that a kernel receives for a tensor descriptor: the tensor map, the shape, and the strides of all
  /// dimensions except the innermost (frontend/Frontend.cpp).
  void addDescriptor(LaunchDescriptor &descriptor) {
    ArrayMemory memory = descriptor.read(parameter->text);
    out.placement.add(memory, parameter->text.c_str(), signature.function);
    out.key.append({.kind = CodeKind::Descriptor, .object = descriptor.specialization()});
    auto append = [&](const EncodedTensorMap &map) {
      out.values.appendWide({reinterpret_cast<const char *>(map.data()), map.size()});
    };
    if (memory.isOnGpu) {
      append(descriptor.encode(memory));
      if (!out.gpuType)
        out.gpuType = &descriptor.arrayType();
    } else {
      out.hostArrays.push_back({uint32_t(out.values.size()), memory, descriptor.base(), /*isDescribed=*/true});
      append(descriptor.describe(memory));
    }
    for (int64_t size : descriptor.shape)
      out.values.append(uint64_t(size));
    for (int64_t stride : descriptor.strides)
      out.values.append(uint64_t(stride));
  }

  void addScalar(Element element, uint64_t bits, bool isDivisible = false) {
    out.key.append({.kind = CodeKind::Scalar, .element = element, .isDivisible = isDivisible});
    out.values.append(bits);
  }

  /// Returns the value of a Python int; nullopt if the value fits neither int64 nor uint64.
  static std::optional<Integer> readInteger(PyObject *object) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
      if (value == -1 && PyErr_Occurred())
        throw py::error_already_set();
      return Integer{static_cast<uint64_t>(value)};
    }
    uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
      PyErr_Clear();
      return std::nullopt;
    }
    return Integer{large, /*isAboveI64=*/true};
  }

  void addInteger(PyObject *object, ParameterMode mode) {
    std::optional<Integer> value = readInteger(object);
    if (!value)
      raiseRange(object, isNegative(object) ? "i64" : "u64");
    if (std::optional<Scalar> scalar = passInteger(*value, mode))
      addScalar(scalar->element, scalar->bits, scalar->isDivisible);
    else
      out.key.append({.kind = CodeKind::One});
  }

  static bool isNegative(PyObject *integer) { return PyObject_RichCompareBool(integer, py::int_(0).ptr(), Py_LT) == 1; }

  [[noreturn]] void raiseRange(PyObject *object, const std::string &type) {
    throw LaunchError(signature.function + "(): `" + parameter->text + "` is " +
                      py::str(py::handle(object)).cast<std::string>() + ", which does not fit " + type);
  }

  [[noreturn]] void raiseKind(PyObject *object, const std::string &expected) {
    PyErr_Clear();
    throw LaunchError(signature.function + "(): `" + parameter->text + "` is declared as " +
                      elementName(*parameter->declaredType) + " and takes " + expected + ", not a " +
                      Py_TYPE(object)->tp_name);
  }

  /// Adds an argument of a parameter with a dtype annotation. The argument is converted to the annotated type.
  void addDeclared(PyObject *object) {
    Element element = *parameter->declaredType;
    if (isFloat(element)) {
      double value = PyFloat_AsDouble(object);
      if (value == -1.0 && PyErr_Occurred())
        raiseKind(object, "a number");
      if (std::optional<uint64_t> bits = bitsOfFloat(value, element))
        return addScalar(element, *bits);
      throw LaunchError(signature.function + "(): scalars of type " + elementName(element) + ", as `" +
                        parameter->text + "` is declared, cannot be passed; declare gl.float32");
    }
    auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    if (!number)
      raiseKind(object, "an integer");
    std::optional<Integer> value = readInteger(number.ptr());
    std::optional<uint64_t> bits = value ? bitsOfInteger(*value, element) : std::nullopt;
    if (!bits)
      raiseRange(number.ptr(), elementName(element));
    addScalar(element, *bits);
  }

  void addConstant(PyObject *object) {
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == constants.constexprClass.ptr())
      object = py::handle(object).attr("value").ptr(); // the constexpr object owns a reference to its value
    if (LaunchDescriptor::of(object))
      throw LaunchError(signature.function + "(): the descriptor `" + parameter->text +
                        "` is passed as a constexpr, which TMA cannot read\n  hint: declare the parameter as `" +
                        parameter->text + "`, without gl.constexpr: block_shape, dtype and layout are constants of it");
    appendConstant(object);
  }

  void appendConstant(PyObject *object) {
    try {
      out.key.append({.kind = CodeKind::Constexpr, .object = object});
    } catch (py::error_already_set &) {
      throw LaunchError(signature.function + "(): the value of the constexpr parameter `" + parameter->text +
                        "` is a " + Py_TYPE(object)->tp_name +
                        ", which cannot be hashed\n  hint: pass a tuple, a number, a string, "
                        "a layout or a frozen dataclass");
    }
  }

  void addTuple(PyObject *object, ParameterMode mode) {
    auto length = PyTuple_GET_SIZE(object);
    bool isNamed = PyTuple_Check(object) && !PyTuple_CheckExact(object);
    out.key.append({.kind = CodeKind::Tuple,
                    .number = int32_t(length),
                    .object = isNamed ? reinterpret_cast<PyObject *>(Py_TYPE(object)) : nullptr});
    for (Py_ssize_t i = 0; i < length; ++i)
      add(PyTuple_GET_ITEM(object, i), mode);
  }

  void addUncommon(PyObject *object, ParameterMode mode) {
    if (PyTuple_Check(object))
      return addTuple(object, mode);
    if (PyList_Check(object))
      throw LaunchError(signature.function + "(): `" + parameter->text +
                        "` is a list, which kernels cannot take\n  hint: pass an array, such as numpy.array(x), or a "
                        "tuple if the kernel unpacks it");
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == constants.constexprClass.ptr())
      return addConstant(object);
    if (PyUnicode_Check(object) || py::isinstance(object, constants.others))
      return appendConstant(object);
    if (LaunchDescriptor *descriptor = LaunchDescriptor::of(object))
      return addDescriptor(*descriptor);
    std::string_view type = Py_TYPE(object)->tp_name;
    if (type == "numpy.bool" || type == "numpy.bool_")
      return addScalar(Element::Int1, PyObject_IsTrue(object) == 1);
    if (PyIndex_Check(object)) {
      auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
      if (!number)
        throw py::error_already_set();
      return addInteger(number.ptr(), mode);
    }
    if (type == "decimal.Decimal" || type == "Fraction")
      throw LaunchError(signature.function + "(): `" + parameter->text + "` is a " + std::string(type) +
                        ", which would be rounded to 24 bits\n  hint: pass float(x), or annotate the parameter: " +
                        parameter->text + ": gl.float64");
    bool isComplex = type.starts_with("numpy.c"); // complex64 and others: float() drops their imaginary parts
    if (PyFloat_Check(object) ||
        (!isComplex && Py_TYPE(object)->tp_as_number && Py_TYPE(object)->tp_as_number->nb_float)) {
      double value = PyFloat_AsDouble(object);
      if (value != -1.0 || !PyErr_Occurred())
        return addScalar(Element::Float32, std::bit_cast<uint32_t>(float(value)));
      PyErr_Clear(); // types such as numpy.datetime64 have nb_float, but cannot be converted to a float
    }
    throw LaunchError(signature.function + "(): `" + parameter->text + "` is a " + std::string(type) +
                      ", which kernels cannot take\n  hint: pass an array or a number, or annotate the parameter: " +
                      parameter->text + ": gl.constexpr");
  }

  const Signature &signature;
  const ConstantTypes &constants;
  Specialization &out;
  const Parameter *parameter = nullptr;
};

} // namespace

void specialize(const Signature &signature, const ConstantTypes &constants, const BoundArguments &bound,
                Specialization &out) {
  Specializer(signature, constants, out).run(bound);
  for (const BoundArguments::GivenOption &option : bound.options) {
    try {
      out.key.append({.kind = CodeKind::Option, .number = int32_t(option.index), .object = option.value});
    } catch (py::error_already_set &) {
      throw LaunchError(signature.function + "(): the launch option `" +
                        signature.options[option.index].name.cast<std::string>() +
                        "` must be a number, a bool or None, not a " + Py_TYPE(option.value)->tp_name);
    }
  }
  out.placement.check(signature.function);
}

} // namespace hocket::dispatch
