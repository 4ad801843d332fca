// RUN: hocket-opt %s --hocket-convert-hk-to-lane | FileCheck %s

#rows = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 4104 : i32} {
// One lane stores two boxes as wide as the swizzle, the innermost coordinate first, and makes them a group.
// CHECK-LABEL: llvm.func @store
// CHECK-SAME: %[[DESC:.+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: %[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32)
// CHECK: %[[WARP:.+]] = nvvm.shfl.sync
// CHECK: %[[FIRST:.+]] = llvm.icmp "eq" %[[WARP]]
// CHECK: llvm.cond_br %[[FIRST]], ^[[IN_WARP:.+]], ^[[AFTER:bb[0-9]+]]
// CHECK: ^[[IN_WARP]]:
// CHECK: %[[ELECTED:.+]] = nvvm.elect.sync -> i1
// CHECK: llvm.cond_br %[[ELECTED]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[DESC]], %[[TILE:.+]], box[%[[COLUMN]], %[[ROW]]] {hk_nv.element_bytes = 2 : i32}
// CHECK: %[[SECOND:.+]] = llvm.getelementptr %[[TILE]][2048]
// CHECK: %[[MOVED:.+]] = llvm.add %[[COLUMN]], %{{.+}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[DESC]], %[[SECOND]], box[%[[MOVED]], %[[ROW]]]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
func.func public @store(%desc: !hk_nv.tensor_desc<32x64xf16, #rows>, %row: i32, %column: i32) attributes {hk.kernel} {
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x64xf16, #rows>
  hk_nv.tma_store %tile, %desc[%row, %column] : !hk.memdesc<32x64xf16, #rows> -> !hk_nv.tensor_desc<32x64xf16, #rows>
  hk_nv.tma_store_wait read_only {outstanding = 1 : i32}
  hk_nv.tma_store_wait {outstanding = 0 : i32}
  return
}
}
