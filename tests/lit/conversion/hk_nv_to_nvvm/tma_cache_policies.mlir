// RUN: hocket-opt %s --hocket-convert-hk-to-lane | FileCheck %s

#rows = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 2056 : i32} {
// CHECK-LABEL: llvm.func @copy
// CHECK: %[[LAST:.+]] = lane.cache_policy <l2 = evict_last>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}} l2_cache_hint = %[[LAST]]
// CHECK: %[[FIRST:.+]] = lane.cache_policy <l2 = evict_first>
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.+}} l2_cache_hint = %[[FIRST]]
// CHECK: %[[FIRST2:.+]] = lane.cache_policy <l2 = evict_first>
// CHECK: nvvm.cp.async.bulk.tensor.reduce %{{.+}} l2_cache_hint = %[[FIRST2]]
// CHECK-NOT: l2_cache_hint
func.func public @copy(%desc: !hk_nv.tensor_desc<32x32xf16, #rows>, %i: i32) attributes {hk.kernel} {
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x32xf16, #rows>
  %bar = hk.local_alloc offset = 2048 : () -> !hk.memdesc<1xi64, #bar>
  %true = arith.constant true
  hk_nv.tma_load %desc[%i, %i], %tile, %bar, %true policy = <l2 = evict_last> : !hk_nv.tensor_desc<32x32xf16, #rows> -> !hk.memdesc<32x32xf16, #rows>, !hk.memdesc<1xi64, #bar>
  hk_nv.tma_store %tile, %desc[%i, %i] policy = <l2 = evict_first> : !hk.memdesc<32x32xf16, #rows> -> !hk_nv.tensor_desc<32x32xf16, #rows>
  hk_nv.tma_store reduction = fadd %tile, %desc[%i, %i] policy = <l2 = evict_first> : !hk.memdesc<32x32xf16, #rows> -> !hk_nv.tensor_desc<32x32xf16, #rows>
  hk_nv.tma_store %tile, %desc[%i, %i] : !hk.memdesc<32x32xf16, #rows> -> !hk_nv.tensor_desc<32x32xf16, #rows>
  return
}
}
