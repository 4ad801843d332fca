//===- LaunchSpecialization.cpp - Arguments become a key and values ----------------===//
#include "bindings/launch/LaunchSpecialization.h"
#include "bindings/launch/LaunchElements.h"
#include "runtime/LaunchError.h"
#include <bit>

namespace py = pybind11;

namespace hocket::launch {

namespace {

/// Turns the arguments of one call into codes and values.
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
      return addScalar(Element::F32, std::bit_cast<uint32_t>(float(PyFloat_AS_DOUBLE(object))));
    if (object == Py_None)
      return out.key.append({.kind = CodeKind::None});
    if (PyBool_Check(object))
      return addScalar(Element::I1, object == Py_True);
    if (const ArrayType &type = arrayTypeOf(Py_TYPE(object)); type.reader != ArrayReader::NotAnArray)
      return addArray(object, type, mode);
    addUncommon(object, mode);
  }

  void addArray(PyObject *object, const ArrayType &type, ParameterMode mode) {
    ArrayMemory memory = readArray(object, type, parameter->text);
    if (memory.isOnGpu) {
      if (!out.gpuType) {
        out.gpuType = &type;
        out.device = memory.device;
        out.gpuParameter = parameter->text.c_str();
      } else if (memory.device != out.device) {
        throw LaunchError(signature.function + "(): `" + out.gpuParameter + "` lies on GPU " +
                          std::to_string(out.device) + " and `" + parameter->text + "` on GPU " +
                          std::to_string(memory.device) + "; all arrays of a launch must lie on one device");
      }
    } else {
      out.hostArrays.push_back({uint32_t(out.values.size()), memory});
      out.hostParameter = parameter->text.c_str();
    }
    auto address = reinterpret_cast<uintptr_t>(memory.address);
    bool mayAlign = mode == ParameterMode::Specialize;
    out.key.append(
        {.kind = CodeKind::Pointer, .element = memory.element, .isDivisible = mayAlign && address % kDivisor == 0});
    out.values.push_back(address);
  }

  void addScalar(Element element, uint64_t bits, bool isDivisible = false) {
    out.key.append({.kind = CodeKind::Scalar, .element = element, .isDivisible = isDivisible});
    out.values.push_back(bits);
  }

  void addInteger(PyObject *object, ParameterMode mode) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (value == -1 && PyErr_Occurred())
      throw py::error_already_set();
    bool isAligned = mode == ParameterMode::Specialize && value % kDivisor == 0;
    if (overflow > 0) {
      uint64_t large = PyLong_AsUnsignedLongLong(object);
      if (PyErr_Occurred()) {
        PyErr_Clear();
        raiseRange(object, "u64");
      }
      return addScalar(Element::U64, large, mode == ParameterMode::Specialize && large % kDivisor == 0);
    }
    if (overflow < 0)
      raiseRange(object, "i64");
    if (value == 1 && mode != ParameterMode::NoSpecialize)
      return out.key.append({.kind = CodeKind::One});
    addScalar(value == int32_t(value) ? Element::I32 : Element::I64, uint64_t(value), isAligned);
  }

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

  /// A parameter with a dtype as annotation: converted, whatever the value.
  void addDeclared(PyObject *object) {
    Element element = *parameter->declaredType;
    if (element >= Element::F8E5) {
      double value = PyFloat_AsDouble(object);
      if (value == -1.0 && PyErr_Occurred())
        raiseKind(object, "a number");
      if (element == Element::F64)
        return addScalar(element, std::bit_cast<uint64_t>(value));
      if (element == Element::F32)
        return addScalar(element, std::bit_cast<uint32_t>(float(value)));
      throw LaunchError(signature.function + "(): scalars of type " + elementName(element) + ", as `" +
                        parameter->text + "` is declared, cannot be passed; declare gl.float32");
    }
    auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    if (!number)
      raiseKind(object, "an integer");
    bool isUnsigned = element == Element::I1 || (element >= Element::U8 && element <= Element::U64);
    int bits = element == Element::I1 ? 1 : elementBytes(element) * 8;
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow > 0 && element == Element::U64) {
      uint64_t large = PyLong_AsUnsignedLongLong(number.ptr());
      if (!PyErr_Occurred())
        return addScalar(element, large);
      PyErr_Clear();
    }
    bool fits =
        overflow == 0 && (isUnsigned ? value >= 0 && (bits >= 63 || value < (1LL << bits))
                                     : bits == 64 || (value >= -(1LL << (bits - 1)) && value < (1LL << (bits - 1))));
    if (!fits)
      raiseRange(number.ptr(), elementName(element));
    addScalar(element, uint64_t(value));
  }

  void addConstant(PyObject *object) {
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == constants.constexprClass.ptr())
      object = py::handle(object).attr("value").ptr(); // stays alive: the wrapper holds it
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
    auto length = PySequence_Fast_GET_SIZE(object);
    bool isNamed = PyTuple_Check(object) && !PyTuple_CheckExact(object);
    out.key.append({.kind = CodeKind::Tuple,
                    .number = int32_t(length),
                    .object = isNamed ? reinterpret_cast<PyObject *>(Py_TYPE(object)) : nullptr});
    for (Py_ssize_t i = 0; i < length; ++i)
      add(PySequence_Fast_GET_ITEM(object, i), mode);
  }

  void addUncommon(PyObject *object, ParameterMode mode) {
    if (PyTuple_Check(object) || PyList_CheckExact(object))
      return addTuple(object, mode);
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == constants.constexprClass.ptr())
      return addConstant(object);
    if (PyUnicode_Check(object) || py::isinstance(object, constants.others))
      return appendConstant(object);
    std::string_view type = Py_TYPE(object)->tp_name;
    if (type == "numpy.bool" || type == "numpy.bool_")
      return addScalar(Element::I1, PyObject_IsTrue(object) == 1);
    if (PyIndex_Check(object)) {
      auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
      if (!number)
        throw py::error_already_set();
      return addInteger(number.ptr(), mode);
    }
    if (PyFloat_Check(object) || (Py_TYPE(object)->tp_as_number && Py_TYPE(object)->tp_as_number->nb_float)) {
      double value = PyFloat_AsDouble(object);
      if (value != -1.0 || !PyErr_Occurred())
        return addScalar(Element::F32, std::bit_cast<uint32_t>(float(value)));
      PyErr_Clear(); // numpy.datetime64 and its like have the slot, but no number
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
  for (const BoundArguments::GivenOption &option : bound.options)
    out.key.append({.kind = CodeKind::Option, .number = int32_t(option.index), .object = option.value});
  if (out.gpuType && !out.hostArrays.empty())
    throw LaunchError(signature.function + "(): `" + out.gpuParameter + "` lies on a GPU and `" + out.hostParameter +
                      "` in host memory; pass GPU arrays to run on the GPU, or NumPy arrays to run on the emulator");
}

} // namespace hocket::launch
