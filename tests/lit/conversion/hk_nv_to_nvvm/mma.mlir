// RUN: hocket-opt %s --hocket-convert-hk-to-lane | FileCheck %s
// RUN: hocket-opt %s --hocket-convert-hk-to-lane --hocket-convert-lane-to-nvvm | FileCheck %s --check-prefix=NVVM

#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [1, 1], instr_shape = [16, 8]>
#a = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>
#b = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>

module attributes {hk.target = "sm_80", hk.num_warps = 1 : i32} {
// Two results side by side and two steps along K: the instructions alternate between the two accumulators.
// CHECK-LABEL: llvm.func @products
// CHECK: %[[S0:.+]] = lane.mma "mma.m16n8k16.row.col.f32.f32" %[[A0:.+]], %{{.+}}, %{{.+}} : vector<4xi32>, vector<2xi32>, vector<4xf32>
// CHECK: %[[S1:.+]] = lane.mma "mma.m16n8k16.row.col.f32.f32" %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi32>, vector<2xi32>, vector<4xf32>
// CHECK: lane.mma "mma.m16n8k16.row.col.f32.f32" %{{.+}}, %{{.+}}, %[[S0]]
// CHECK: lane.mma "mma.m16n8k16.row.col.f32.f32" %{{.+}}, %{{.+}}, %[[S1]]
// CHECK-NOT: lane.mma
// For f16 the intrinsic takes pairs.
// NVVM: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"(%{{.+}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
func.func public @products(%x: f16, %y: f32, %out: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : f16 -> tensor<16x32xf16, #a>
  %b = hk.splat %x : f16 -> tensor<32x16xf16, #b>
  %c = hk.splat %y : f32 -> tensor<16x16xf32, #mma>
  %d = hk_nv.mma %a, %b, %c : tensor<16x32xf16, #a>, tensor<32x16xf16, #b> -> tensor<16x16xf32, #mma>
  %p = hk.splat %out : !hk.ptr<f32> -> tensor<16x16x!hk.ptr<f32>, #mma>
  hk.store %p, %d : tensor<16x16x!hk.ptr<f32>, #mma>, tensor<16x16xf32, #mma>
  return
}
}
