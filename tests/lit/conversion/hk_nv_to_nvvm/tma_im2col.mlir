// RUN: hocket-opt %s --hocket-convert-hk-to-lane | FileCheck %s

#channels = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 4104 : i32} {
// Two loads, each of the channels of one swizzle. Coordinates and offsets: the innermost first.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME: %[[DESC:.+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: %[[IMAGE:.+]]: i32, %[[ROW:.+]]: i32, %[[COLUMN:.+]]: i32, %[[CHANNEL:.+]]: i32, %[[R:.+]]: i16, %[[S:.+]]: i16)
// CHECK: nvvm.elect.sync
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DESC]], %[[BAR:.+]], box[%[[CHANNEL]], %[[COLUMN]], %[[ROW]], %[[IMAGE]]] im2col[%[[S]], %[[R]]] {hk_nv.element_bytes = 2 : i32, mode = #nvvm.tma_load_mode<im2col>}
// CHECK: %[[NEXT:.+]] = llvm.add %[[CHANNEL]], %{{.+}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DESC]], %[[BAR]], box[%[[NEXT]], %[[COLUMN]], %[[ROW]], %[[IMAGE]]] im2col[%[[S]], %[[R]]]
func.func public @load(%desc: !hk_nv.tensor_desc<32x64xf16, #channels, im2col = 4>, %image: i32, %row: i32,
                       %column: i32, %channel: i32, %r: i16, %s: i16) attributes {hk.kernel} {
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x64xf16, #channels>
  %bar = hk.local_alloc offset = 4096 : () -> !hk.memdesc<1xi64, #bar>
  %true = arith.constant true
  hk_nv.tma_load_im2col %desc[%image, %row, %column, %channel] offsets [%r, %s], %tile, %bar, %true : !hk_nv.tensor_desc<32x64xf16, #channels, im2col = 4> -> !hk.memdesc<32x64xf16, #channels>, !hk.memdesc<1xi64, #bar>
  return
}
}
