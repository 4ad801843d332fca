// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

// CHECK-DAG: #[[MMA:.+]] = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
// CHECK-DAG: #{{.+}} = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#a = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>
#b = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>
#a8 = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>
#b8 = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 4>

// CHECK-LABEL: @products
func.func @products(%a: tensor<32x16xf16, #a>, %b: tensor<16x32xf16, #b>, %c: tensor<32x32xf32, #mma>,
                    %i: tensor<32x32xi8, #a8>, %j: tensor<32x32xi8, #b8>, %s: tensor<32x32xi32, #mma>) {
  // CHECK: hk_nv.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<32x16xf16, #{{.+}}>, tensor<16x32xf16, #{{.+}}> -> tensor<32x32xf32, #[[MMA]]>
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x32xf16, #b> -> tensor<32x32xf32, #mma>
  // CHECK: hk_nv.mma %{{.+}} unsigned_a, %{{.+}} unsigned_b, %{{.+}} :
  %1 = hk_nv.mma %i unsigned_a, %j unsigned_b, %s : tensor<32x32xi8, #a8>, tensor<32x32xi8, #b8> -> tensor<32x32xi32, #mma>
  return
}

// CHECK-LABEL: @layouts
func.func @layouts(%x: tensor<64x64xf32, #wgmma>, %y: tensor<64x64xf16, #hk.dot_operand<op_idx = 0, parent = #wgmma, k_width = 2>>) {
  return
}

#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#columns = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = true>

// Exchanged dimensions are the same memory, transposed.
// CHECK-LABEL: @shared
func.func @shared(%t: !hk.memdesc<64x128xf16, #rows>) -> !hk.memdesc<128x64xf16, #columns> {
  // CHECK: hk.memdesc_permute %{{.+}} [1, 0] : !hk.memdesc<64x128xf16, #{{[a-z0-9_]+}}> -> !hk.memdesc<128x64xf16, #{{[a-z0-9_]+}}>
  %0 = hk.memdesc_permute %t [1, 0] : !hk.memdesc<64x128xf16, #rows> -> !hk.memdesc<128x64xf16, #columns>
  return %0 : !hk.memdesc<128x64xf16, #columns>
}

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// CHECK-LABEL: @mbarriers
func.func @mbarriers(%bar: !hk.memdesc<1xi64, #flat>, %tile: !hk.memdesc<64x64xf16, #rows>, %phase: i32, %more: i1) {
  // CHECK: hk_nv.mbarrier_init %{{.+}}, 2 : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_init %bar, 2 : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.fence_mbarrier_init
  hk_nv.fence_mbarrier_init
  // CHECK: hk_nv.mbarrier_expect %{{.+}}, 8192 : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_expect %bar, 8192 : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_expect %{{.+}}, 0 pred %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_expect %bar, 0 pred %more : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_arrive %{{.+}}, 1 : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_arrive %bar, 1 : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_arrive %{{.+}}, 3 pred %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_arrive %bar, 3 pred %more : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_arrive %{{.+}}, 1 per_warp pred %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_arrive %bar, 1 per_warp pred %more : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_arrive_copies %{{.+}} increment : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_arrive_copies %bar increment : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_arrive_copies %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_arrive_copies %bar : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_wait %{{.+}}, %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>{{$}}
  hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<1xi64, #flat>
  // CHECK: hk_nv.mbarrier_wait %{{.+}}, %{{.+}} pred %{{.+}} deps %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>, !hk.memdesc<64x64xf16, #{{.+}}>
  hk_nv.mbarrier_wait %bar, %phase pred %more deps %tile : !hk.memdesc<1xi64, #flat>, !hk.memdesc<64x64xf16, #rows>
  // CHECK: hk_nv.mbarrier_invalidate %{{.+}} : !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.mbarrier_invalidate %bar : !hk.memdesc<1xi64, #flat>
  return
}
