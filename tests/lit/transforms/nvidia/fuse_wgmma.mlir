// RUN: hocket-opt %s --hocket-fuse-wgmma -verify-diagnostics | FileCheck %s

#mma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#sided = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 2], instr_shape = [16, 32, 16]>
#tile = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#turned = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = true>
!sum = tensor<64x64xf32, #mma>
!operand = !hk.memdesc<64x64xf16, #tile>
!ring = !hk.memdesc<12x64x64xf16, #tile>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// The three groups of an iteration become one: a wait that leaves the groups of one or two iterations now leaves one or
// two.
// CHECK-LABEL: @three_columns_of_a_slot
// CHECK: scf.for {{.*}} iter_args(%[[C0:.+]] = %{{.+}}, %[[C1:.+]] = %{{.+}}, %[[C2:.+]] = %{{.+}})
// CHECK: %[[B:.+]] = hk.memdesc_index
// CHECK: %[[D:.+]]:3 = hk_nv.fused_warpgroup_mma %{{.+}}, %[[B]], %[[C0]], %[[C1]], %[[C2]] use_acc %{{.+}} :
// CHECK-NOT: hk_nv.warpgroup_mma %
// CHECK: %[[E:.+]]:3 = hk_nv.warpgroup_mma_wait %[[D]]#0, %[[D]]#1, %[[D]]#2 {outstanding = 1 : i32}
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 2 : i32}
// CHECK: hk_nv.warpgroup_mma_wait {{.+}} {outstanding = 0 : i32}
func.func @three_columns_of_a_slot(%a: !operand, %ring: !ring, %zeros: !sum, %n: i32, %use: i1) -> !sum {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %zeros, %x1 = %zeros, %x2 = %zeros) -> (!sum, !sum, !sum) : i32 {
    %slot = arith.remsi %i, %c4 : i32
    %k0 = arith.muli %slot, %c3 : i32
    %b0 = hk.memdesc_index %ring[%k0] : !ring -> !operand
    %d0 = hk_nv.warpgroup_mma %a, %b0, %x0 use_acc %use : !operand, !operand -> !sum
    %k1 = arith.addi %k0, %c1 : i32
    %b1 = hk.memdesc_index %ring[%k1] : !ring -> !operand
    %d1 = hk_nv.warpgroup_mma %a, %b1, %x1 use_acc %use : !operand, !operand -> !sum
    %k2 = arith.addi %k0, %c2 : i32
    %b2 = hk.memdesc_index %ring[%k2] : !ring -> !operand
    %d2 = hk_nv.warpgroup_mma %a, %b2, %x2 use_acc %use : !operand, !operand -> !sum
    %e:3 = hk_nv.warpgroup_mma_wait %d0, %d1, %d2 {outstanding = 3 : i32} : !sum, !sum, !sum
    hk_nv.warpgroup_mma_wait {outstanding = 6 : i32}
    scf.yield %e#0, %e#1, %e#2 : !sum, !sum, !sum
  }
  %done:3 = hk_nv.warpgroup_mma_wait %r#0, %r#1, %r#2 {outstanding = 0 : i32} : !sum, !sum, !sum
  return %done#1 : !sum
}

// The wgmmas of one group stay one group. The waits of the function, and groups that continue an accumulator, do not
// change.
// CHECK-LABEL: @one_group
// CHECK: hk_nv.fused_warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} :
// CHECK: hk_nv.fused_warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {group_goes_on} :
// CHECK: hk_nv.warpgroup_mma %
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 2 : i32}
func.func @one_group(%a: !operand, %ring: !ring, %x: !sum, %y: !sum) {
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %b0 = hk.memdesc_index %ring[%c4] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c5] : !ring -> !operand
  %b3 = hk.memdesc_index %ring[%c7] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x {group_goes_on} : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %y : !operand, !operand -> !sum
  %e0 = hk_nv.warpgroup_mma %a, %b0, %d0 {group_goes_on} : !operand, !operand -> !sum
  %e1 = hk_nv.warpgroup_mma %a, %b1, %d1 {group_goes_on} : !operand, !operand -> !sum
  %e3 = hk_nv.warpgroup_mma %a, %b3, %e1 : !operand, !operand -> !sum
  hk_nv.warpgroup_mma_wait {outstanding = 2 : i32}
  return
}

// Columns are contiguous here: the second slot lies where the first one's descriptor expects its columns from 64 on.
// CHECK-LABEL: @views
// CHECK: hk_nv.fused_warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} :
func.func @views(%a: !operand, %ring: !hk.memdesc<2x64x64xf16, #turned>, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s0 = hk.memdesc_index %ring[%c0] : !hk.memdesc<2x64x64xf16, #turned> -> !hk.memdesc<64x64xf16, #turned>
  %b0 = hk.memdesc_permute %s0 [1, 0] : !hk.memdesc<64x64xf16, #turned> -> !operand
  %s1 = hk.memdesc_index %ring[%c1] : !hk.memdesc<2x64x64xf16, #turned> -> !hk.memdesc<64x64xf16, #turned>
  %b1 = hk.memdesc_permute %s1 [1, 0] : !hk.memdesc<64x64xf16, #turned> -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x {group_goes_on} : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  return
}

// CHECK-LABEL: @other_a
// CHECK-NOT: fused
// CHECK: return
func.func @other_a(%a: !operand, %other: !operand, %ring: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %other, %b1, %x : !operand, !operand -> !sum
  return
}

// CHECK-LABEL: @slots_apart
// CHECK-NOT: fused
// CHECK: return
func.func @slots_apart(%a: !operand, %ring: !ring, %x: !sum, %k: i32, %l: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %k1 = arith.addi %k, %c1 : i32
  %k2 = arith.addi %k, %c2 : i32
  %b0 = hk.memdesc_index %ring[%k] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%k1] : !ring -> !operand
  %b2 = hk.memdesc_index %ring[%k2] : !ring -> !operand
  %b3 = hk.memdesc_index %ring[%l] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b2, %x : !operand, !operand -> !sum
  %d2 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  %d3 = hk_nv.warpgroup_mma %a, %b3, %x : !operand, !operand -> !sum
  return
}

// CHECK-LABEL: @another_ring
// CHECK-NOT: fused
// CHECK: return
func.func @another_ring(%a: !operand, %ring: !ring, %second: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %second[%c1] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  return
}

// CHECK-LABEL: @used_otherwise
// CHECK-NOT: fused
// CHECK: return
func.func @used_otherwise(%a: !operand, %ring: !ring, %x: !sum, %use: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x use_acc %use : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  return
}

// The second wgmma continues the accumulator of the first one.
// CHECK-LABEL: @a_chain
// CHECK-NOT: fused
// CHECK: return
func.func @a_chain(%a: !operand, %ring: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %d0 : !operand, !operand -> !sum
  return
}

// CHECK-LABEL: @a_wait_between
// CHECK-NOT: fused
// CHECK: return
func.func @a_wait_between(%a: !operand, %ring: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  return
}

// CHECK-LABEL: @warps_side_by_side
// CHECK-NOT: fused
// CHECK: return
func.func @warps_side_by_side(%a: !operand, %ring: !ring, %x: tensor<64x64xf32, #sided>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> tensor<64x64xf32, #sided>
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> tensor<64x64xf32, #sided>
  return
}

// A fifth wgmma does not fit into an instruction: 256 columns, and 64 separately.
// CHECK-LABEL: @five
// CHECK: hk_nv.fused_warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {group_goes_on} :
// CHECK-NEXT: hk_nv.warpgroup_mma %
func.func @five(%a: !operand, %ring: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %b2 = hk.memdesc_index %ring[%c2] : !ring -> !operand
  %b3 = hk.memdesc_index %ring[%c3] : !ring -> !operand
  %b4 = hk.memdesc_index %ring[%c4] : !ring -> !operand
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x {group_goes_on} : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x {group_goes_on} : !operand, !operand -> !sum
  %d2 = hk_nv.warpgroup_mma %a, %b2, %x {group_goes_on} : !operand, !operand -> !sum
  %d3 = hk_nv.warpgroup_mma %a, %b3, %x {group_goes_on} : !operand, !operand -> !sum
  %d4 = hk_nv.warpgroup_mma %a, %b4, %x : !operand, !operand -> !sum
  return
}

// If other wgmmas also commit groups, the groups that a wait covers are unknown.
// CHECK-LABEL: @other_groups
// CHECK-NOT: fused
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 2 : i32}
func.func @other_groups(%a: !operand, %ring: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  // expected-remark@+1 {{these 2 wgmmas that share `a` are not fused into wider instructions: waits of the function cover only some of them, or other wgmmas}}
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  %e0 = hk_nv.warpgroup_mma %a, %b0, %d0 : !operand, !operand -> !sum
  hk_nv.warpgroup_mma_wait {outstanding = 2 : i32}
  return
}

// The first wgmma ends a group that does not contain the second one.
// CHECK-LABEL: @a_group_between
// CHECK-NOT: fused
// CHECK: hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
func.func @a_group_between(%a: !operand, %ring: !ring, %x: !sum) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  %b5 = hk.memdesc_index %ring[%c5] : !ring -> !operand
  // expected-remark@+1 {{these 2 wgmmas that share `a` are not fused}}
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x {group_goes_on} : !operand, !operand -> !sum
  %d5 = hk_nv.warpgroup_mma %a, %b5, %x : !operand, !operand -> !sum
  hk_nv.warpgroup_mma_wait {outstanding = 1 : i32}
  return
}

// The first wgmma is waited for alone: computation continues while the second one is in flight.
// CHECK-LABEL: @a_wait_for_the_first
// CHECK-NOT: fused
// CHECK: hk_nv.warpgroup_mma_wait %{{.+}} {outstanding = 1 : i32}
func.func @a_wait_for_the_first(%a: !operand, %ring: !ring, %x: !sum) -> !sum {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b0 = hk.memdesc_index %ring[%c0] : !ring -> !operand
  %b1 = hk.memdesc_index %ring[%c1] : !ring -> !operand
  // expected-remark@+1 {{these 2 wgmmas that share `a` are not fused}}
  %d0 = hk_nv.warpgroup_mma %a, %b0, %x : !operand, !operand -> !sum
  %d1 = hk_nv.warpgroup_mma %a, %b1, %x : !operand, !operand -> !sum
  %e = hk_nv.warpgroup_mma_wait %d0 {outstanding = 1 : i32} : !sum
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  return %e : !sum
}
}
