//===- SourceStamp.h - Whether a file still holds the text that Python runs ---------===//
//
// Python keeps the code of a function, not its text, and the front end reads the text when the function is first
// compiled. A file that was edited in between would be compiled as it is now, while Python runs, and its tracebacks
// show, what it was.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SOURCESTAMP_H
#define HOCKET_FRONTEND_SOURCESTAMP_H

#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// Remembers size and time of the file of `function`, which has just been defined. Functions inside of others are as
/// old as the last one that was defined outside.
void stampSource(pybind11::handle function);

/// Whether the file is as it was when `function` was stamped, or still has the same code at the same lines. A function
/// without a stamp gets one.
bool isUnedited(pybind11::handle function);

/// True if the file of `function` existed when it was stamped, and is missing.
bool isDeleted(pybind11::handle function);

} // namespace hocket::frontend

#endif
