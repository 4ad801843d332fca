//===- InitInChild.h - Whether cuInit crashes in a forked child -------------------===//
//
// The CUDA driver (580.159) has a defect: cuInit dereferences an invalid pointer in a child that was forked from a
// process in which cuInit had found no GPU (status 100). nvJitLink calls cuInit, too. After a cuInit that found a GPU,
// cuInit in the child returns status 3, and nvJitLink works.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_CUDA_INITINCHILD_H
#define HOCKET_THIRD_PARTY_CUDA_INITINCHILD_H

namespace hocket::cuda {

/// Returns true if cuInit would crash this process. Only a forked child that inherits a loaded driver has to find out:
/// it forks a process that calls cuInit, once per child.
bool initCrashes();

} // namespace hocket::cuda

#endif
