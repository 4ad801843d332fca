// Passes that ask which regions of shared memory overlap must run after hocket-allocate-memory.
//
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-insert-barriers
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-warp-pipeline-lowering
// RUN: hocket-opt %s --verify-diagnostics --split-input-file --hocket-insert-proxy-fences

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func @buffers(%x: tensor<1024xf32, #b>) -> tensor<1024xf32, #b> {
  // expected-error @below {{'hk.local_alloc' was given no shared memory; run hocket-allocate-memory first}}
  %a = hk.local_alloc %x : (tensor<1024xf32, #b>) -> !hk.memdesc<1024xf32, #s>
  %c = hk.local_alloc %x : (tensor<1024xf32, #b>) -> !hk.memdesc<1024xf32, #s>
  %y = hk.local_load %c : !hk.memdesc<1024xf32, #s> -> tensor<1024xf32, #b>
  return %y : tensor<1024xf32, #b>
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func @scratch(%x: !hk.ptr<i32>, %n: i32) -> i32 {
  // expected-error @below {{'hk.atomic_rmw' was given no shared memory; run hocket-allocate-memory first}}
  %0 = hk.atomic_rmw add, %x, %n : !hk.ptr<i32>, i32
  return %0 : i32
}
}
