//===- GapWarnings.cpp - Warnings for array views without stride arguments -------------===//
#include "bindings/emulator/GapWarnings.h"
#include "emulator/faults/DescribeAccess.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

namespace py = pybind11;

namespace hocket::bindings {

GapWarnings::GapWarnings(const py::list &values) {
  for (py::handle value : values)
    if (PyLong_CheckExact(value.ptr()))
      constants.push_back(uint32_t(PyLong_AsUnsignedLongLongMask(value.ptr())));
}

/// Returns the stride of `dimension` in elements of `array`, rounded down.
static int64_t strideOf(const ArrayDimension &dimension, const ArrayArgument &array) {
  return llvm::divideFloorSigned(dimension.strideBytes, int64_t(emulator::elementBytes(array.dtype)));
}

/// Returns the strides of all dimensions in elements, formatted like a Python tuple.
static std::string stridesText(const ArrayArgument &array) {
  std::string text;
  for (const ArrayDimension &dimension : array.dimensions)
    text += (text.empty() ? "" : ", ") + std::to_string(strideOf(dimension, array));
  return "(" + text + (array.dimensions.size() == 1 ? ",)" : ")");
}

/// Returns true if a kernel needs the stride of dimension `index`: not if both this dimension and the next one can be
/// one dimension with the stride of the next one, as the rows of all matrices of a batch.
static bool needsStride(llvm::ArrayRef<ArrayDimension> dimensions, size_t index, int64_t stride) {
  const ArrayDimension &dimension = dimensions[index];
  if (dimension.size <= 1 || stride == 0 || stride == 1)
    return false;
  if (index + 1 == dimensions.size())
    return true;
  const ArrayDimension &next = dimensions[index + 1];
  return dimension.strideBytes != int64_t(next.size) * next.strideBytes;
}

/// Returns the low 32 bits of each argument that is not an array.
static std::vector<uint32_t> scalarsOf(const KernelLaunch &launch) {
  std::vector<bool> isArray(launch.parameters.size());
  for (const HostArray &array : launch.arrays)
    isArray[array.argument] = true;
  std::vector<uint32_t> scalars;
  for (size_t i = 0; i < launch.parameters.size(); ++i)
    if (!isArray[i])
      scalars.push_back(uint32_t(*static_cast<const uint64_t *>(launch.parameters[i])));
  return scalars;
}

static void warn(const std::string &kernel, const std::string &parameter, const ArrayArgument &array,
                 py::handle function) {
  py::set warned = function.attr("__dict__").attr("setdefault")("_warned_views", py::set());
  if (warned.contains(parameter))
    return;
  warned.add(parameter);
  std::string text = "`" + parameter + "` of " + kernel + "() is a view whose strides are " + stridesText(array) +
                     ", but the kernel does not receive the strides: " + parameter +
                     " + 1 points to the next element in memory, not to that of the view. Pass the strides as integers "
                     "too, or a contiguous copy.";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), /*stack_level=*/1) < 0)
    throw py::error_already_set();
}

void GapWarnings::check(const KernelLaunch &launch, const KernelFacts &facts, py::handle function) const {
  std::vector<uint32_t> given;
  for (const HostArray &array : launch.arrays) {
    if (array.memory.dimensions.empty()) [[likely]]
      continue;
    if (given.empty()) {
      given = scalarsOf(launch);
      given.insert(given.end(), constants.begin(), constants.end());
    }
    llvm::ArrayRef<ArrayDimension> dimensions(array.memory.dimensions);
    auto isTold = [&](size_t index) {
      int64_t stride = strideOf(dimensions[index], array.memory);
      return !needsStride(dimensions, index, stride) || std::ranges::find(given, uint32_t(stride)) != given.end();
    };
    if (!llvm::all_of(llvm::seq<size_t>(0, dimensions.size()), isTold))
      warn(facts.name, facts.parameters[array.argument], array.memory, function);
  }
}

} // namespace hocket::bindings
