// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-check-missing-warps
//
// With 12 warps, warps 12 to 15 of the layouts do not exist. Values may pass within groups of four warps only.

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [16, 1], order = [1, 0]>
#shared_rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [32, 2], warps_per_cta = [4, 4], order = [1, 0]>
module attributes {hk.num_warps = 12 : i32, hk.target = "gfx950"} {
func.func @within_groups(%x: tensor<128x32xf32, #shared_rows>) {
  %m = hk.reduce %x axis = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    hk.combine.return %s : f32
  } : (tensor<128x32xf32, #shared_rows>) -> tensor<128xf32, #hk.slice<dim = 1, parent = #shared_rows>>
  %c = hk.convert_layout %x : tensor<128x32xf32, #shared_rows> -> tensor<128x32xf32, #rows>
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [16, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 8], warps_per_cta = [4, 4], order = [0, 1]>
module attributes {hk.num_warps = 12 : i32, hk.target = "gfx950"} {
func.func @between_groups(%x: tensor<128x32xf32, #rows>) {
  // expected-error @below {{this layout conversion would need elements of warps 12 to 15, which do not exist in a kernel with num_warps=12}}
  // expected-note @below {{hint: choose layouts with which values pass only within groups of four warps, or launch with 8 or 16 warps}}
  %c = hk.convert_layout %x : tensor<128x32xf32, #rows> -> tensor<128x32xf32, #columns>
  return
}
}

// -----

// All warps exist.
#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [16, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 8], warps_per_cta = [4, 4], order = [0, 1]>
module attributes {hk.num_warps = 16 : i32, hk.target = "gfx950"} {
func.func @sixteen_warps(%x: tensor<128x32xf32, #rows>) {
  %c = hk.convert_layout %x : tensor<128x32xf32, #rows> -> tensor<128x32xf32, #columns>
  return
}
}
