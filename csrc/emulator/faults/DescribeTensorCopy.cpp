//===- DescribeTensorCopy.cpp - Writes the message for a mistake in a TMA copy ---------------===//
#include "emulator/faults/DescribeTensorCopy.h"

#include "emulator/faults/DescribeAccess.h"

namespace hocket::emulator {

using host_abi::SiteKind;

void describeCoordinate(const Site &site, const BlockFault &fault, Failure &failure) {
  if (fault.range) {
    bool isOffset = fault.range->isOfOffset;
    failure.diagnostic.message =
        format("an im2col load {} {} in dimension {}, {} {} to {}", isOffset ? "has offset" : "begins at",
               fault.coordinate, fault.rank - 1 - fault.dim, isOffset ? "which is not" : "outside of the pixel box",
               fault.range->first, fault.range->last);
    failure.diagnostic.hint =
        isOffset ? "offsets are taps of a filter; use pixel_box_lower_corner to reach pixels before the tensor"
                 : "coordinates are those of the first pixel; taps of the filter, which may lie outside, are offsets";
    return;
  }
  bool isLoad = site.kind == host_abi::SiteKind::TensorLoad;
  std::string begins = format("a bulk {} begins at {} in dimension {}", isLoad ? "load" : "store", fault.coordinate,
                              fault.rank - 1 - fault.dim);
  if (fault.multiple) {
    failure.diagnostic.message = begins + format(", which is not a multiple of {} elements", fault.multiple);
    failure.diagnostic.hint =
        "TMA copies units of 16 bytes: in the last dimension, a block must begin at a multiple of 16 bytes";
    return;
  }
  failure.diagnostic.message = begins + ", before the tensor";
  failure.diagnostic.hint =
      "only loads may begin before the tensor; a store skips elements of a block past the tensor's end";
}

void describeDescriptor(const EmulatedLaunch &launch, const BlockFault &fault, Failure &failure) {
  using host_abi::TensorMapField;
  Diagnostic &diagnostic = failure.diagnostic;
  if (!fault.field) {
    const Site &copy = launch.program.sites[*fault.other->site];
    diagnostic.message =
        format("the descriptor is overwritten while a bulk {} with the previous one is still in flight",
               copy.kind == SiteKind::TensorLoad ? "load" : "store");
    diagnostic.notes.push_back({"copy", format("line {}", copy.diagnostic.line)});
    diagnostic.hint =
        "each call of make_tensor_descriptor has one buffer: wait for the copies before the next iteration";
    return;
  }
  int64_t value = fault.coordinate;
  uint32_t dimension = fault.rank - 1 - fault.dim;
  switch (*fault.field) {
  case TensorMapField::Address:
    diagnostic.message = format("the address of a descriptor's tensor, {:x}, is not a multiple of 16 bytes", value);
    diagnostic.hint = "describe the whole array, and add to the coordinates of copies";
    return;
  case TensorMapField::Size:
    diagnostic.message = format("a descriptor's tensor has size {} in dimension {}", int32_t(value), dimension);
    diagnostic.hint = "sizes are 1 to 2^31 - 1; for an empty tensor, make no descriptor and copy nothing";
    return;
  default:
    diagnostic.message = format("a descriptor's tensor has a stride of {} bytes in dimension {}", value, dimension - 1);
    diagnostic.hint = "strides are multiples of 16 bytes, and less than 2^40";
  }
}

} // namespace hocket::emulator
