// RUN: hocket-opt %s --hocket-minimize-waits | FileCheck %s

// In the stages of a warp pipeline, waits for wgmmas are inserted if the program has none: before the first use of a
// result, and at the end of the stage for those still in flight.

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [8, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!left = !hk.memdesc<128x64xf16, #shared>
!right = !hk.memdesc<64x64xf16, #shared>
!acc = tensor<128x64xf32, #wgmma>

module attributes {hk.num_warps = 8 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: @two_products
func.func @two_products(%c: !acc, %steps: index) -> !acc {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = hk.local_alloc : () -> !left
  %b = hk.local_alloc : () -> !right
  // CHECK: scf.for
  %r = scf.for %k = %zero to %steps step %one iter_args(%sum = %c) -> (!acc) {
    // CHECK: hk.stage_begin "multiply"
    // CHECK-NEXT: hk_nv.warpgroup_mma
    // CHECK-NEXT: hk_nv.warpgroup_mma
    // CHECK-NEXT: hk_nv.warpgroup_mma_wait
    // CHECK-SAME: outstanding = 0
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin "multiply"
    %d = hk_nv.warpgroup_mma %a, %b, %c : !left, !right -> !acc
    %e = hk_nv.warpgroup_mma %a, %b, %c : !left, !right -> !acc
    hk.stage_end
    // CHECK-NEXT: hk.stage_begin "add"
    // CHECK-NOT: warpgroup_mma_wait
    // CHECK: scf.yield
    hk.stage_begin "add"
    %f = arith.addf %d, %e : !acc
    %g = arith.addf %f, %sum : !acc
    hk.stage_end
    scf.yield %g : !acc
  }
  return %r : !acc
}

// CHECK-LABEL: @used_in_the_stage
func.func @used_in_the_stage(%c: !acc, %steps: index) -> !acc {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = hk.local_alloc : () -> !left
  %b = hk.local_alloc : () -> !right
  %r = scf.for %k = %zero to %steps step %one iter_args(%sum = %c) -> (!acc) {
    // CHECK: hk.stage_begin "multiply"
    // CHECK-NEXT: hk_nv.warpgroup_mma
    // CHECK-NEXT: hk_nv.warpgroup_mma_wait
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin "multiply"
    %d = hk_nv.warpgroup_mma %a, %b, %c : !left, !right -> !acc
    %g = arith.addf %d, %sum : !acc
    hk.stage_end
    // CHECK-NEXT: hk.stage_begin "rest"
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin "rest"
    hk.stage_end
    scf.yield %g : !acc
  }
  return %r : !acc
}

// The program's waits are kept.
// CHECK-LABEL: @written
func.func @written(%c: !acc, %steps: index) -> !acc {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = hk.local_alloc : () -> !left
  %b = hk.local_alloc : () -> !right
  %r = scf.for %k = %zero to %steps step %one iter_args(%sum = %c) -> (!acc) {
    // CHECK: hk.stage_begin "multiply"
    // CHECK-NEXT: hk_nv.warpgroup_mma
    // CHECK-NEXT: hk.stage_end
    // CHECK-NEXT: hk.stage_begin "add"
    // CHECK-NEXT: hk_nv.warpgroup_mma_wait
    // CHECK-NEXT: hk_nv.warpgroup_mma_wait
    // CHECK-NEXT: hk.stage_end
    hk.stage_begin "multiply"
    %d = hk_nv.warpgroup_mma %a, %b, %sum : !left, !right -> !acc
    hk.stage_end
    hk.stage_begin "add"
    %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : !acc
    %f = hk_nv.warpgroup_mma_wait %e {outstanding = 0 : i32} : !acc
    hk.stage_end
    scf.yield %f : !acc
  }
  return %r : !acc
}
}
