// RUN: hocket-opt %s --split-input-file | hocket-opt --split-input-file | FileCheck %s

// Elements that indices select, and what can be said of layouts only partly.

#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#line = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// CHECK-DAG: #[[LINEAR:.+]] = #hk.shared_linear<offset = {{\[\[}}0, 1], [0, 2], [1, 1]], block = [], alignment = 16>
#linear = #hk.shared_linear<offset = [[0, 1], [0, 2], [1, 1]], block = [], alignment = 16>
// CHECK-DAG: #[[S:.+]] = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// CHECK-LABEL: func.func @selected
func.func @selected(%tile: !hk.memdesc<64x32xf16, #shared>, %i: tensor<16x32xi32, #b>, %bins: !hk.memdesc<64xi32, #flat>,
                    %j: tensor<128xi32, #line>, %m: tensor<128xi1, #line>) {
  // CHECK: hk.local_gather %{{.+}}[%{{.+}}] axis = 0 : !hk.memdesc<64x32xf16, #[[S]]>, tensor<16x32xi32, #{{.+}}> -> tensor<16x32xf16, #{{.+}}>
  %x = hk.local_gather %tile[%i] axis = 0 : !hk.memdesc<64x32xf16, #shared>, tensor<16x32xi32, #b> -> tensor<16x32xf16, #b>
  // CHECK: hk.local_scatter %{{.+}}, %{{.+}}[%{{.+}}] axis = 0 : tensor<16x32xf16, #{{.+}}>, !hk.memdesc<64x32xf16, #[[S]]>, tensor<16x32xi32, #{{.+}}>
  hk.local_scatter %x, %tile[%i] axis = 0 : tensor<16x32xf16, #b>, !hk.memdesc<64x32xf16, #shared>, tensor<16x32xi32, #b>
  // CHECK: hk.local_atomic_scatter add, %{{.+}}, %{{.+}}[%{{.+}}], mask %{{.+}} axis = 0 : tensor<128xi32, #{{.+}}>, !hk.memdesc<64xi32, #{{.+}}>, tensor<128xi32, #{{.+}}>, tensor<128xi1, #{{.+}}>
  %old = hk.local_atomic_scatter add, %j, %bins[%j], mask %m axis = 0 : tensor<128xi32, #line>, !hk.memdesc<64xi32, #flat>, tensor<128xi32, #line>, tensor<128xi1, #line>
  // CHECK: hk.local_atomic_scatter xchg, %{{.+}}, %{{.+}}[%{{.+}}] axis = 0 : tensor<128xi32, #{{.+}}>, !hk.memdesc<64xi32, #{{.+}}>, tensor<128xi32, #{{.+}}>
  %was = hk.local_atomic_scatter xchg, %j, %bins[%j] axis = 0 : tensor<128xi32, #line>, !hk.memdesc<64xi32, #flat>, tensor<128xi32, #line>
  return
}

// CHECK-LABEL: func.func @linear_memory
func.func @linear_memory() {
  // CHECK: hk.local_alloc : () -> !hk.memdesc<3x2x4xf32, #[[LINEAR]]>
  %a = hk.local_alloc : () -> !hk.memdesc<3x2x4xf32, #linear>
  return
}

// CHECK-LABEL: func.func @layouts
func.func @layouts() {
  // CHECK: hk.arange 0 to 32 : tensor<32xi32, #hk.auto>
  %i = hk.arange 0 to 32 : tensor<32xi32, #hk.auto>
  // CHECK: hk.set_layout %{{.+}} : tensor<32xi32, #hk.auto> -> tensor<32xi32, #hk.coalesced>
  %j = hk.set_layout %i : tensor<32xi32, #hk.auto> -> tensor<32xi32, #hk.coalesced>
  // CHECK: hk.set_layout %{{.+}} name = "line" : tensor<32xi32, #hk.coalesced> -> tensor<32xi32, #{{.+}}>
  %k = hk.set_layout %j name = "line" : tensor<32xi32, #hk.coalesced> -> tensor<32xi32, #line>
  return
}

// -----

// Rows that add up to others make copies.
// CHECK: #hk.linear<reg = {{\[\[}}1]], lane = {{\[\[}}2], [3], [0]], warp = {{\[\[}}1]], block = [], shape = [4]>
#dependent = #hk.linear<reg = [[1]], lane = [[2], [3], [0]], warp = [[1]], block = [], shape = [4]>
func.func @dependent(%x: tensor<4xf32, #dependent>) {
  return
}
