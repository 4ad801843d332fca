// A pass that asks for linear maps refuses undecided layouts, also when it is run alone.
//
// RUN: hocket-opt %s --verify-diagnostics --hocket-warp-pipeline-partition
// RUN: hocket-opt %s --verify-diagnostics --hocket-prefetch
// RUN: hocket-opt %s --verify-diagnostics --hocket-allocate-memory
// RUN: hocket-opt %s --verify-diagnostics --hocket-warp-pipeline-lowering
// RUN: hocket-opt %s --verify-diagnostics --hocket-insert-barriers
// RUN: hocket-opt %s --verify-diagnostics --hocket-choose-accesses
// RUN: hocket-opt %s --verify-diagnostics --hocket-convert-hk-to-lane

#w = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func @f(%x: f32) {
  // expected-error @below {{cannot infer the layout of this tensor of shape [256]}}
  // expected-note @below {{hint: pass a layout where it is created, or to a tensor that it is combined with}}
  %0 = hk.splat %x : f32 -> tensor<256xf32, #hk.auto>
  %1 = hk.convert_layout %0 : tensor<256xf32, #hk.auto> -> tensor<256xf32, #w>
  return
}
}
