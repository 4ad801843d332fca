//===- InitInChild.h - Tests if cuInit crashes in a forked child ------------------===//
//
// The CUDA driver (580.159) has a defect: cuInit dereferences an invalid pointer in a child that was forked from a
// process in which cuInit had found no GPU (status 100). nvJitLink calls cuInit, too. If cuInit has found a GPU in the
// parent process, cuInit in the child returns status 3 without crashing, and nvJitLink works.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_CUDA_INITINCHILD_H
#define HOCKET_THIRD_PARTY_CUDA_INITINCHILD_H

namespace hocket::cuda {

/// Returns true if cuInit would crash this process. Only a forked child that has inherited a loaded driver must test
/// this: at its first call of initCrashes, the child forks a trial process, which calls cuInit.
bool initCrashes();

} // namespace hocket::cuda

#endif
