//===- LaunchSpecialization.cpp - What a compiled kernel may rely on ---------------===//
#include "bindings/LaunchSpecialization.h"
#include "bindings/LaunchElements.h"
#include "runtime/LaunchError.h"
#include <bit>
#include <cstring>

namespace py = pybind11;

namespace hocket::launch {

static constexpr int kDivisor = 16;

// The key ---------------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio
  return hash ^ (hash >> 29);
}

static uint64_t packed(const Code &code) {
  return uint64_t(code.kind) | uint64_t(code.element) << 8 | uint64_t(code.divisibleBy16) << 16 |
         uint64_t(uint32_t(code.number)) << 32;
}

void appendCode(Specialization &specialization, Code code) {
  specialization.hash = mix(specialization.hash, packed(code));
  if (code.object) {
    Py_hash_t hash = PyObject_Hash(code.object);
    if (hash == -1)
      throw py::error_already_set();
    specialization.hash = mix(specialization.hash, hash);
  }
  specialization.codes.push_back(code);
}

/// Equality that never takes one constant for another: 1, True and 1.0 are equal in Python and different here.
static bool sameConstant(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (Py_TYPE(a) != Py_TYPE(b))
    return false;
  if (PyFloat_CheckExact(a))
    return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(a)) == std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(b));
  if (PyTuple_Check(a)) {
    if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
      return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i)
      if (!sameConstant(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
        return false;
    return true;
  }
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0)
    throw py::error_already_set();
  return equal;
}

bool sameCodes(const Codes &a, const Codes &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (packed(a[i]) != packed(b[i]) || !a[i].object != !b[i].object)
      return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].object && !sameConstant(a[i].object, b[i].object))
      return false;
  return true;
}

// Arguments ---------------------------------------------------------------------------------------------------------

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
      return appendCode(out, {.kind = CodeKind::None});
    if (PyBool_Check(object))
      return addScalar(Element::I1, object == Py_True);
    if (const ArrayType &type = arrayTypeOf(Py_TYPE(object)); type.reader != ArrayReader::NotAnArray)
      return addArray(object, type, mode);
    addUncommon(object, mode);
  }

  void addArray(PyObject *object, const ArrayType &type, ParameterMode mode) {
    ArrayMemory memory = readArray(object, type, parameter->text);
    if (memory.isCuda) {
      if (!out.cudaType) {
        out.cudaType = &type;
        out.device = memory.device;
        out.cudaParameter = parameter->text.c_str();
      } else if (memory.device != out.device) {
        throw LaunchError(signature.function + "(): `" + out.cudaParameter + "` lies on GPU " +
                          std::to_string(out.device) + " and `" + parameter->text + "` on GPU " +
                          std::to_string(memory.device) + "; all arrays of a launch must lie on one device");
      }
    } else {
      out.hostArrays.push_back({uint32_t(out.values.size()), memory});
      out.hostParameter = parameter->text.c_str();
    }
    auto address = reinterpret_cast<uintptr_t>(memory.address);
    bool mayAlign = mode == ParameterMode::Specialize;
    appendCode(
        out,
        {.kind = CodeKind::Pointer, .element = memory.element, .divisibleBy16 = mayAlign && address % kDivisor == 0});
    out.values.push_back(address);
  }

  void addScalar(Element element, uint64_t bits, bool divisibleBy16 = false) {
    appendCode(out, {.kind = CodeKind::Scalar, .element = element, .divisibleBy16 = divisibleBy16});
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
      return appendCode(out, {.kind = CodeKind::One});
    addScalar(value == int32_t(value) ? Element::I32 : Element::I64, uint64_t(value), isAligned);
  }

  [[noreturn]] void raiseRange(PyObject *object, const std::string &type) {
    throw LaunchError(signature.function + "(): `" + parameter->text + "` is " +
                      py::str(py::handle(object)).cast<std::string>() + ", which does not fit " + type);
  }

  /// A parameter with a dtype as annotation: converted, whatever the value.
  void addDeclared(PyObject *object) {
    Element element = *parameter->declaredType;
    if (element >= Element::F8E5) {
      double value = PyFloat_AsDouble(object);
      if (value == -1.0 && PyErr_Occurred())
        throw py::error_already_set();
      if (element == Element::F64)
        return addScalar(element, std::bit_cast<uint64_t>(value));
      if (element == Element::F32)
        return addScalar(element, std::bit_cast<uint32_t>(float(value)));
      throw LaunchError(signature.function + "(): scalars of type " + elementName(element) + ", as `" +
                        parameter->text + "` is declared, cannot be passed; declare gl.float32");
    }
    auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    if (!number)
      throw py::error_already_set();
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
      appendCode(out, {.kind = CodeKind::Constexpr, .object = object});
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
    appendCode(out, {.kind = CodeKind::Tuple,
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
      if (value == -1.0 && PyErr_Occurred())
        throw py::error_already_set();
      return addScalar(Element::F32, std::bit_cast<uint32_t>(float(value)));
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
    appendCode(out, {.kind = CodeKind::Option, .number = int32_t(option.index), .object = option.value});
  if (out.cudaType && !out.hostArrays.empty())
    throw LaunchError(signature.function + "(): `" + out.cudaParameter + "` lies on a GPU and `" + out.hostParameter +
                      "` in host memory; pass GPU arrays to run on the GPU, or NumPy arrays to run on the emulator");
}

// For the compiler ---------------------------------------------------------------------------------------------------

static std::string typeText(const Code &code) {
  return std::string(code.kind == CodeKind::Pointer ? "*" : "") + elementName(code.element) +
         (code.divisibleBy16 ? ":" + std::to_string(kDivisor) : "");
}

/// Describes the code at `next` and moves past it.
static void describeOne(const Codes &codes, size_t &next, py::object &type, py::object &value) {
  const Code &code = codes[next++];
  type = value = py::none();
  switch (code.kind) {
  case CodeKind::Pointer:
  case CodeKind::Scalar:
    type = py::str(typeText(code));
    break;
  case CodeKind::One:
    value = py::int_(1);
    break;
  case CodeKind::Constexpr:
    value = py::reinterpret_borrow<py::object>(code.object);
    break;
  case CodeKind::Tuple: {
    py::tuple types(code.number), values(code.number);
    for (int i = 0; i < code.number; ++i) {
      py::object elementType, elementValue;
      describeOne(codes, next, elementType, elementValue);
      types[i] = elementType;
      values[i] = elementValue;
    }
    type = types;
    value = code.object ? py::object(py::handle(code.object)(*values)) : py::object(values);
    break;
  }
  case CodeKind::None:
  case CodeKind::Option:
  case CodeKind::Device:
    break;
  }
}

py::tuple describe(const Signature &signature, const Codes &codes) {
  py::list types, values;
  size_t next = 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    py::object type, value;
    describeOne(codes, next, type, value);
    types.append(type);
    values.append(value);
  }
  return py::make_tuple(types, values);
}

} // namespace hocket::launch
