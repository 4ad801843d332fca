// RUN: hocket-opt %s --split-input-file --verify-diagnostics

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1]]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0], block = [[0]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @c1_another_shape(%x: tensor<256xf32, #blocked>, %tile: !hk.memdesc<128xf32, #shared>,
                            %bar: !hk.memdesc<1xi64, #bar>) {
  // expected-error-re @+1 {{'hk_nv.async_store' op needs a tensor and a descriptor of one shape and element type, but has {{.+}}}}
  hk_nv.async_store %x, %tile, %bar : tensor<256xf32, #blocked> -> !hk.memdesc<128xf32, #shared>, !hk.memdesc<1xi64, #bar>
  return
}
}

// -----

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1]]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0], block = [[0]]>
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @c2_no_mbarrier(%x: tensor<256xf32, #blocked>, %tile: !hk.memdesc<256xf32, #shared>) {
  // expected-error-re @+1 {{'hk_nv.async_store' op needs one mbarrier, a handle to 1 x i64, not {{.+}}}}
  hk_nv.async_store %x, %tile, %tile : tensor<256xf32, #blocked> -> !hk.memdesc<256xf32, #shared>, !hk.memdesc<256xf32, #shared>
  return
}
}

// -----

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @c3_single_blocks(%x: tensor<128xf32, #blocked>, %tile: !hk.memdesc<128xf32, #bar>,
                            %bar: !hk.memdesc<1xi64, #bar>) {
  // expected-error @+1 {{'hk_nv.async_store' op needs a cluster of at least two blocks}}
  hk_nv.async_store %x, %tile, %bar : tensor<128xf32, #blocked> -> !hk.memdesc<128xf32, #bar>, !hk.memdesc<1xi64, #bar>
  return
}
}
