// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!smem = !hk.memdesc<64x64xf16, #shared>

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32, hk.shared_bytes = 8192 : i32} {
func.func public @on_ampere(%x: f32) attributes {hk.kernel} {
  %c = hk.splat %x : f32 -> tensor<64x64xf32, #wgmma>
  %a = hk.local_alloc offset = 0 : () -> !smem
  // expected-error @+1 {{'hk_nv.warpgroup_mma' op needs wgmma, which Hopper (sm_90a) has; the target is sm_80}}
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> tensor<64x64xf32, #wgmma>
  return
}
}

// -----

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
!smem = !hk.memdesc<64x64xf16, #plain>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 8192 : i32} {
func.func public @row_major(%x: f32) attributes {hk.kernel} {
  %c = hk.splat %x : f32 -> tensor<64x64xf32, #wgmma>
  %a = hk.local_alloc offset = 0 : () -> !smem
  // expected-error @+2 {{wgmma cannot read `a` in its layout in shared memory: no matrix descriptor can describe the layout}}
  // expected-note @+1 {{hint: use an NVMMASharedLayout with a swizzle, as get_default_for makes}}
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> tensor<64x64xf32, #wgmma>
  return
}
}

// -----

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 32]>
#bytes = #hk_nv.mma_shared<swizzle = 64, element_bits = 8, rank = 2, transposed = false>
!smem = !hk.memdesc<64x64xi8, #bytes>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 8192 : i32} {
func.func public @bytes_with_n_fastest(%x: i32) attributes {hk.kernel} {
  %c = hk.splat %x : i32 -> tensor<64x64xi32, #wgmma>
  %a = hk.local_alloc offset = 0 : () -> !smem
  // expected-error @+2 {{wgmma cannot read `b` in its layout in shared memory: no matrix descriptor can describe the layout}}
  // expected-note @+1 {{hint: use an NVMMASharedLayout with a swizzle, as get_default_for makes, with K as the fastest dimension (transposed=True for b)}}
  %d = hk_nv.warpgroup_mma %a, %a, %c : !smem, !smem -> tensor<64x64xi32, #wgmma>
  return
}
}
