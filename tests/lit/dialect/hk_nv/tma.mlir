// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// CHECK-LABEL: @tma
// CHECK-SAME: !hk_nv.tensor_desc<64x128xf16, #[[ROWS:[a-z0-9_]+]]>
func.func @tma(%desc: !hk_nv.tensor_desc<64x128xf16, #rows>, %ints: !hk_nv.tensor_desc<8xi32, #hk_nv.mma_shared<swizzle = 0, element_bits = 32, rank = 1, transposed = false>>,
               %t: !hk.memdesc<64x128xf16, #rows>,
               %s: !hk.memdesc<8xi32, #hk_nv.mma_shared<swizzle = 0, element_bits = 32, rank = 1, transposed = false>>,
               %b: !hk.memdesc<1xi64, #bar>, %i: i32, %p: i1) {
  // CHECK: hk_nv.tma_store %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] : !hk.memdesc<64x128xf16, #[[ROWS]]> -> !hk_nv.tensor_desc<64x128xf16, #[[ROWS]]>
  hk_nv.tma_store %t, %desc[%i, %i] : !hk.memdesc<64x128xf16, #rows> -> !hk_nv.tensor_desc<64x128xf16, #rows>
  // CHECK: hk_nv.tma_store reduction = umax %{{.+}}, %{{.+}}[%{{.+}}] :
  hk_nv.tma_store reduction = umax %s, %ints[%i] : !hk.memdesc<8xi32, #hk_nv.mma_shared<swizzle = 0, element_bits = 32, rank = 1, transposed = false>> -> !hk_nv.tensor_desc<8xi32, #hk_nv.mma_shared<swizzle = 0, element_bits = 32, rank = 1, transposed = false>>
  // CHECK: hk_nv.tma_store %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] policy = <l2 = evict_first> :
  hk_nv.tma_store %t, %desc[%i, %i] policy = <l2 = evict_first> : !hk.memdesc<64x128xf16, #rows> -> !hk_nv.tensor_desc<64x128xf16, #rows>
  // CHECK: hk_nv.tma_store_wait read_only {outstanding = 1 : i32}
  hk_nv.tma_store_wait read_only {outstanding = 1 : i32}
  // CHECK: hk_nv.tma_store_wait {outstanding = 0 : i32}
  hk_nv.tma_store_wait {outstanding = 0 : i32}
  // CHECK: hk_nv.tma_load %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}}, %{{.+}}, %{{.+}} : !hk_nv.tensor_desc<64x128xf16, #[[ROWS]]> -> !hk.memdesc<64x128xf16, #[[ROWS]]>, !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.tma_load %desc[%i, %i], %t, %b, %p : !hk_nv.tensor_desc<64x128xf16, #rows> -> !hk.memdesc<64x128xf16, #rows>, !hk.memdesc<1xi64, #bar>
  // CHECK: hk_nv.tma_load %{{.+}}[%{{.+}}, %{{.+}}], %{{.+}}, %{{.+}}, %{{.+}} policy = <l2 = evict_last> :
  hk_nv.tma_load %desc[%i, %i], %t, %b, %p policy = <l2 = evict_last> : !hk_nv.tensor_desc<64x128xf16, #rows> -> !hk.memdesc<64x128xf16, #rows>, !hk.memdesc<1xi64, #bar>
  return
}

#channels = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>

// CHECK-LABEL: @im2col
// CHECK-SAME: !hk_nv.tensor_desc<512x64xf16, #[[CHANNELS:[a-z0-9_]+]], im2col = 4>
func.func @im2col(%desc: !hk_nv.tensor_desc<512x64xf16, #channels, im2col = 4>, %t: !hk.memdesc<512x64xf16, #channels>,
                  %b: !hk.memdesc<1xi64, #bar>, %i: i32, %o: i16, %p: i1) {
  // CHECK: hk_nv.tma_load_im2col %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] offsets[%{{.+}}, %{{.+}}], %{{.+}}, %{{.+}}, %{{.+}} : !hk_nv.tensor_desc<512x64xf16, #[[CHANNELS]], im2col = 4> -> !hk.memdesc<512x64xf16, #[[CHANNELS]]>, !hk.memdesc<1xi64, #{{.+}}>
  hk_nv.tma_load_im2col %desc[%i, %i, %i, %i] offsets [%o, %o], %t, %b, %p : !hk_nv.tensor_desc<512x64xf16, #channels, im2col = 4> -> !hk.memdesc<512x64xf16, #channels>, !hk.memdesc<1xi64, #bar>
  return
}
