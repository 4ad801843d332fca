//===- DescriptorForm.h - Tensor descriptors of arrays with equal properties -----------===//
//
// The Python class hocket.nvidia.hopper.DescriptorForm has the checked properties of one descriptor, and its method `on`
// makes descriptors of further arrays. `on` reads an array and finds an earlier descriptor without running Python code,
// because a call of a ready kernel calls it for each operand.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_DESCRIPTORFORM_H
#define HOCKET_BINDINGS_DISPATCH_DESCRIPTORFORM_H

#include "bindings/dispatch/Descriptor.h"

namespace hocket::dispatch {

/// The Python type FormedDescriptor, the result of DescriptorForm.on.
struct FormedDescriptor {
  PyObject_HEAD LaunchDescriptor *descriptor;

  static PyTypeObject *type;
};

/// Returns the launch descriptor of a FormedDescriptor; null for objects of other types.
inline LaunchDescriptor *descriptorOfFormed(PyObject *object) {
  return Py_TYPE(object) == FormedDescriptor::type ? reinterpret_cast<FormedDescriptor *>(object)->descriptor : nullptr;
}

} // namespace hocket::dispatch

#endif
