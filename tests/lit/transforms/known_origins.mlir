// Passes that ask which regions of shared memory a handle refers to refuse handles without an interface that tells it,
// also when they run alone. The profiler's record memory is known to alias no buffer.
//
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-minimize-waits
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-allocate-memory
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-warp-pipeline-lowering
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-insert-barriers
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-insert-proxy-fences

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!smem = !hk.memdesc<512xf32, #s>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func private @make() -> !smem
func.func @called() -> tensor<512xf32, #b> {
  // expected-error @below {{'func.call' op returns a handle of shared memory, but the compiler cannot determine the memory it refers to}}
  %a = func.call @make() : () -> !smem
  %x = hk.local_load %a : !smem -> tensor<512xf32, #b>
  return %x : tensor<512xf32, #b>
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!smem = !hk.memdesc<512xf32, #s>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func @cast(%p: !hk.ptr<f32>) -> tensor<512xf32, #b> {
  // expected-error @below {{returns a handle of shared memory, but the compiler cannot determine the memory it refers to}}
  %a = builtin.unrealized_conversion_cast %p : !hk.ptr<f32> to !smem
  %x = hk.local_load %a : !smem -> tensor<512xf32, #b>
  return %x : tensor<512xf32, #b>
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!smem = !hk.memdesc<512xf32, #s>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 2560 : i32} {
func.func @records(%y: tensor<512xf32, #b>) -> tensor<512xf32, #b> {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] offset = 2048 : !hk.memdesc<4x32xi32, #prof.records<shared>>
  prof.init %b : !hk.memdesc<4x32xi32, #prof.records<shared>>
  %a = hk.local_alloc %y offset = 0 : (tensor<512xf32, #b>) -> !smem
  %x = hk.local_load %a : !smem -> tensor<512xf32, #b>
  prof.finalize %b : !hk.memdesc<4x32xi32, #prof.records<shared>>
  prof.buffer_dealloc %b : !hk.memdesc<4x32xi32, #prof.records<shared>>
  return %x : tensor<512xf32, #b>
}
}
