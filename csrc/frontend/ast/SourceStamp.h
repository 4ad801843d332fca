//===- SourceStamp.h - Detection of source files edited after import ----------------===//
//
// Python keeps the code of a function, but not its text. The front end reads the text when the function is first
// compiled. If the file has been edited since the function was defined, the front end would compile the new text,
// although the program runs the old code. To detect that a file has been edited, the front end keeps a *stamp* of each
// function: the size and the modification time of the file when the function was defined.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SOURCESTAMP_H
#define HOCKET_FRONTEND_SOURCESTAMP_H

#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// Records the size and the modification time of the file of `function`, which has just been defined. An inner function
/// gets the stamp of the last top-level function that was defined in the same file.
void stampSource(pybind11::handle function);

/// True if the file is unchanged since `function` was stamped, or still has the same code at the same lines. A function
/// that has no stamp yet is stamped first.
bool isUnedited(pybind11::handle function);

/// True if the file of `function` existed when `function` was stamped, and no longer exists.
bool isDeleted(pybind11::handle function);

} // namespace hocket::frontend

#endif
