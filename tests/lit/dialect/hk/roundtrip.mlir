// RUN: hocket-opt %s --split-input-file | hocket-opt --split-input-file | FileCheck %s
// RUN: hocket-opt %s --split-input-file --mlir-print-op-generic | hocket-opt --split-input-file | FileCheck %s

// CHECK-DAG: #[[BLOCKED:.+]] = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// CHECK: module attributes {hk.num_warps = 4 : i32, hk.shared_bytes = 1024 : i32, hk.target = "sm_90a"}
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 1024 : i32} {
// CHECK: func.func public @program(%[[P:.+]]: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %[[N:.+]]: i32) attributes {hk.kernel}
func.func public @program(%p: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %n: i32) attributes {hk.kernel} {
  // CHECK: hk.program_id 0
  %pid = hk.program_id 0
  // CHECK: hk.num_programs 2
  %blocks = hk.num_programs 2
  // CHECK: hk.nanoseconds : tensor<128xi64, #[[BLOCKED]]>
  %time = hk.nanoseconds : tensor<128xi64, #blocked>
  // CHECK: hk.barrier{{$}}
  hk.barrier
  // CHECK: hk.barrier local
  hk.barrier local
  %positive = arith.cmpi sgt, %n, %pid : i32
  // CHECK: hk.assume %{{.+}}
  hk.assume %positive
  // CHECK: hk.assert %{{.+}}, "n is positive" : i1
  hk.assert %positive, "n is positive" : i1
  // CHECK: hk.assert %{{.+}}, "in time" late : i1
  hk.assert %positive, "in time" late : i1
  // CHECK: hk.print "hello"{{$}}
  hk.print "hello"
  // CHECK: hk.arange 128 to 256 : tensor<128xi32, #[[BLOCKED]]>
  %i = hk.arange 128 to 256 : tensor<128xi32, #blocked>
  // CHECK: hk.arange -64 to 64 : tensor<128xi32, #[[BLOCKED]]>
  %below_zero = hk.arange -64 to 64 : tensor<128xi32, #blocked>
  // CHECK: hk.splat %{{.+}} : i1 -> tensor<128xi1, #[[BLOCKED]]>
  %all = hk.splat %positive : i1 -> tensor<128xi1, #blocked>
  // CHECK: hk.assert %{{.+}}, "all" : tensor<128xi1, #[[BLOCKED]]>
  hk.assert %all, "all" : tensor<128xi1, #blocked>
  // CHECK: hk.print "{d} and {x}", %{{.+}}, %{{.+}} : tensor<128xi32, #[[BLOCKED]]>, tensor<128xi32, #[[BLOCKED]]>
  hk.print "{d} and {x}", %i, %below_zero : tensor<128xi32, #blocked>, tensor<128xi32, #blocked>
  return
}
}

// -----

#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#b2 = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b2t = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
#rows = #hk.linear<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], shape = [16, 32]>

// CHECK-DAG: #[[B1:.+]] = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// CHECK-DAG: #[[B2:.+]] = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[B2T:.+]] = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
// CHECK-DAG: #[[ROWS:.+]] = #hk.linear<reg = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = [], shape = [16, 32]>

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b2>>, %v: tensor<512xf32, #b1>) {
  // CHECK: hk.expand_dims %{{.+}} axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #[[B2]]>> -> tensor<16x1xf32, #[[B2]]>
  %c = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b2>> -> tensor<16x1xf32, #b2>
  // CHECK: hk.broadcast %{{.+}} : tensor<16x1xf32, #[[B2]]> -> tensor<16x32xf32, #[[B2]]>
  %b = hk.broadcast %c : tensor<16x1xf32, #b2> -> tensor<16x32xf32, #b2>
  // CHECK: hk.permute %{{.+}} [1, 0] : tensor<16x32xf32, #[[B2]]> -> tensor<32x16xf32, #[[B2T]]>
  %t = hk.permute %b [1, 0] : tensor<16x32xf32, #b2> -> tensor<32x16xf32, #b2t>
  // CHECK: hk.reshape %{{.+}} : tensor<512xf32, #[[B1]]> -> tensor<16x32xf32, #[[ROWS]]>
  %m = hk.reshape %v : tensor<512xf32, #b1> -> tensor<16x32xf32, #rows>
  // CHECK: hk.convert_layout %{{.+}} : tensor<16x32xf32, #[[ROWS]]> -> tensor<16x32xf32, #[[B2T]]>
  %l = hk.convert_layout %m : tensor<16x32xf32, #rows> -> tensor<16x32xf32, #b2t>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// CHECK: #[[B:.+]] = #hk.blocked
// CHECK-LABEL: func.func @pointers
func.func @pointers(%p: !hk.ptr<f32>, %pp: !hk.ptr<!hk.ptr<f16>>, %n: i32) {
  // CHECK: hk.addptr %{{.+}}, %{{.+}} : !hk.ptr<f32>, i32
  %q = hk.addptr %p, %n : !hk.ptr<f32>, i32
  %ps = hk.splat %q : !hk.ptr<f32> -> tensor<512x!hk.ptr<f32>, #b>
  %i = hk.arange 0 to 512 : tensor<512xi32, #b>
  // CHECK: hk.addptr %{{.+}}, %{{.+}} : tensor<512x!hk.ptr<f32>, #[[B]]>, tensor<512xi32, #[[B]]>
  %ptrs = hk.addptr %ps, %i : tensor<512x!hk.ptr<f32>, #b>, tensor<512xi32, #b>
  // CHECK: hk.ptr_to_int %{{.+}} : tensor<512x!hk.ptr<f32>, #[[B]]> -> tensor<512xi64, #[[B]]>
  %addresses = hk.ptr_to_int %ptrs : tensor<512x!hk.ptr<f32>, #b> -> tensor<512xi64, #b>
  // CHECK: hk.int_to_ptr %{{.+}} : tensor<512xi64, #[[B]]> -> tensor<512x!hk.ptr<i8>, #[[B]]>
  %bytes = hk.int_to_ptr %addresses : tensor<512xi64, #b> -> tensor<512x!hk.ptr<i8>, #b>
  // CHECK: hk.ptr_cast %{{.+}} : !hk.ptr<!hk.ptr<f16>> -> !hk.ptr<i64>
  %words = hk.ptr_cast %pp : !hk.ptr<!hk.ptr<f16>> -> !hk.ptr<i64>
  // CHECK: hk.mulhi %{{.+}}, %{{.+}} : tensor<512xi32, #[[B]]>
  %high = hk.mulhi %i, %i : tensor<512xi32, #b>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// CHECK: #[[B:.+]] = #hk.blocked
// CHECK-LABEL: func.func @global_memory
func.func @global_memory(%p: tensor<512x!hk.ptr<f32>, #b>, %m: tensor<512xi1, #b>, %z: tensor<512xf32, #b>, %s: !hk.ptr<i32>,
                         %c: i1) {
  // CHECK: hk.load %{{.+}} : tensor<512x!hk.ptr<f32>, #[[B]]> -> tensor<512xf32, #[[B]]>
  %v0 = hk.load %p : tensor<512x!hk.ptr<f32>, #b> -> tensor<512xf32, #b>
  // CHECK: hk.load %{{.+}}, mask %{{.+}} cache = ca volatile : tensor
  %v1 = hk.load %p, mask %m cache = ca volatile : tensor<512x!hk.ptr<f32>, #b> -> tensor<512xf32, #b>
  // CHECK: hk.load %{{.+}}, mask %{{.+}}, other %{{.+}} cache = cg policy = <l2 = evict_first> : tensor
  %v2 = hk.load %p, mask %m, other %z cache = cg policy = <l2 = evict_first> : tensor<512x!hk.ptr<f32>, #b> -> tensor<512xf32, #b>
  // CHECK: hk.load %{{.+}}, mask %{{.+}} : !hk.ptr<i32> -> i32
  %v3 = hk.load %s, mask %c : !hk.ptr<i32> -> i32
  // CHECK: hk.store %{{.+}}, %{{.+}} : tensor<512x!hk.ptr<f32>, #[[B]]>, tensor<512xf32, #[[B]]>
  hk.store %p, %v0 : tensor<512x!hk.ptr<f32>, #b>, tensor<512xf32, #b>
  // CHECK: hk.store %{{.+}}, %{{.+}}, mask %{{.+}} cache = wb policy = <l2 = evict_last> : tensor
  hk.store %p, %v1, mask %m cache = wb policy = <l2 = evict_last> : tensor<512x!hk.ptr<f32>, #b>, tensor<512xf32, #b>
  // CHECK: hk.store %{{.+}}, %{{.+}} : !hk.ptr<i32>, i32
  hk.store %s, %v3 : !hk.ptr<i32>, i32
  // CHECK: hk.atomic_rmw fadd, %{{.+}}, %{{.+}}, mask %{{.+}} sem = relaxed scope = sys : tensor<512x!hk.ptr<f32>, #[[B]]>, tensor<512xf32, #[[B]]>
  %o0 = hk.atomic_rmw fadd, %p, %v2, mask %m sem = relaxed scope = sys : tensor<512x!hk.ptr<f32>, #b>, tensor<512xf32, #b>
  // CHECK: hk.atomic_rmw umax, %{{.+}}, %{{.+}} : !hk.ptr<i32>, i32
  %o1 = hk.atomic_rmw umax, %s, %v3 : !hk.ptr<i32>, i32
  // CHECK: hk.atomic_cas %{{.+}}, %{{.+}}, %{{.+}} sem = acquire scope = cta : !hk.ptr<i32>, i32
  %o2 = hk.atomic_cas %s, %o1, %v3 sem = acquire scope = cta : !hk.ptr<i32>, i32
  return
}

// -----

#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>

// CHECK: #[[B:.+]] = #hk.blocked
// CHECK-LABEL: func.func @reduce_and_dot
func.func @reduce_and_dot(%x: tensor<16x32xf32, #b>, %i: tensor<16x32xi32, #b>,
                          %a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>,
                          %c: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>) {
  // CHECK: %{{.+}}:2 = hk.reduce %{{.+}}, %{{.+}} axis = 1 {
  // CHECK: ^bb0(%{{.+}}: f32, %{{.+}}: i32, %{{.+}}: f32, %{{.+}}: i32):
  // CHECK: hk.combine.return %{{.+}}, %{{.+}} : f32, i32
  // CHECK: } : (tensor<16x32xf32, #[[B]]>, tensor<16x32xi32, #[[B]]>) -> (tensor<16xf32, #hk.slice<dim = 1, parent = #[[B]]>>, tensor<16xi32, #hk.slice<dim = 1, parent = #[[B]]>>)
  %r:2 = hk.reduce %x, %i axis = 1 {
  ^bb0(%la: f32, %li: i32, %ra: f32, %ri: i32):
    %less = arith.cmpf olt, %la, %ra : f32
    %v = arith.select %less, %la, %ra : f32
    %j = arith.select %less, %li, %ri : i32
    hk.combine.return %v, %j : f32, i32
  } : (tensor<16x32xf32, #b>, tensor<16x32xi32, #b>)
    -> (tensor<16xf32, #hk.slice<dim = 1, parent = #b>>, tensor<16xi32, #hk.slice<dim = 1, parent = #b>>)
  // CHECK: hk.reduce %{{.+}} axis = 0 {
  // CHECK: } : (tensor<16xf32, #hk.slice<dim = 1, parent = #[[B]]>>) -> f32
  %s = hk.reduce %r#0 axis = 0 {
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = arith.addf %lhs, %rhs : f32
    hk.combine.return %sum : f32
  } : (tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) -> f32
  // CHECK: hk.any_in_warp %{{.+}} : tensor<16x32xi1, #[[B]]>
  %large = arith.cmpi sgt, %i, %i : tensor<16x32xi32, #b>
  %any = hk.any_in_warp %large : tensor<16x32xi1, #b>
  // CHECK: hk.dot_fma %{{.+}}, %{{.+}}, %{{.+}} : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #[[B]]>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #[[B]]>> -> tensor<16x32xf32, #[[B]]>
  %d = hk.dot_fma %a, %c, %x : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#sharedT = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
#shared3 = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [2, 1, 0]>
#padded = #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [0, 2], [1, 0]], block = [], shape = [2, 4]>

// CHECK-DAG: #[[S:.+]] = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// CHECK-DAG: #[[ST:.+]] = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
// CHECK-DAG: #[[PLAIN:.+]] = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
// CHECK-DAG: #[[S3:.+]] = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [2, 1, 0]>
// CHECK-DAG: #[[PADDED:.+]] = #hk.padded_shared<intervals = [4], paddings = [2], offset = {{\[\[}}0, 1], [0, 2], [1, 0]], block = [], shape = [2, 4]>
// CHECK-LABEL: func.func @shared_memory
func.func @shared_memory(%x: tensor<64x32xf16, #b>, %k: i32) {
  // CHECK: hk.local_alloc offset = 256 : () -> !hk.memdesc<3x64x32xf16, #[[S]]>
  %ring = hk.local_alloc offset = 256 : () -> !hk.memdesc<3x64x32xf16, #shared>
  // CHECK: hk.local_alloc %{{.+}} name = "tile" offset = 0 : (tensor<64x32xf16, #{{.+}}>) -> !hk.memdesc<64x32xf16, #[[S]]>
  %named = hk.local_alloc %x name = "tile" offset = 0 : (tensor<64x32xf16, #b>) -> !hk.memdesc<64x32xf16, #shared>
  // CHECK: hk.local_alloc : () -> !hk.memdesc<2x64x32xf16, #[[S]]>
  %default = hk.local_alloc : () -> !hk.memdesc<2x64x32xf16, #shared in #hk.shared_space>
  // CHECK: hk.local_alloc %{{.+}} : (tensor<64x32xf16, #{{.+}}>) -> !hk.memdesc<64x32xf16, #[[S]]>
  %tile = hk.local_alloc %x : (tensor<64x32xf16, #b>) -> !hk.memdesc<64x32xf16, #shared>
  // CHECK: hk.memdesc_index %{{.+}}[%{{.+}}] : !hk.memdesc<3x64x32xf16, #[[S]]> -> !hk.memdesc<64x32xf16, #[[S]]>
  %slot = hk.memdesc_index %ring[%k] : !hk.memdesc<3x64x32xf16, #shared> -> !hk.memdesc<64x32xf16, #shared>
  // CHECK: hk.memdesc_slice %{{.+}} [0, 16] : !hk.memdesc<64x32xf16, #[[S]]> -> !hk.memdesc<64x16xf16, #[[S]], 64x32>
  %half = hk.memdesc_slice %slot [0, 16] : !hk.memdesc<64x32xf16, #shared> -> !hk.memdesc<64x16xf16, #shared, 64x32>
  // CHECK: hk.memdesc_permute %{{.+}} [1, 0] : !hk.memdesc<64x16xf16, #[[S]], 64x32> -> !hk.memdesc<16x64xf16, #[[ST]], 32x64>
  %t = hk.memdesc_permute %half [1, 0] : !hk.memdesc<64x16xf16, #shared, 64x32> -> !hk.memdesc<16x64xf16, #sharedT, 32x64>
  // CHECK: hk.memdesc_permute %{{.+}} [0, 2, 1] : !hk.memdesc<3x64x32xf16, #[[S]]> -> !hk.memdesc<3x32x64xf16, #[[ST]]>
  %rt = hk.memdesc_permute %ring [0, 2, 1] : !hk.memdesc<3x64x32xf16, #shared> -> !hk.memdesc<3x32x64xf16, #sharedT>
  // CHECK: hk.memdesc_reshape %{{.+}} : !hk.memdesc<64x32xf16, #[[S]]> -> !hk.memdesc<4x16x32xf16, #[[S3]]>
  %planes = hk.memdesc_reshape %tile : !hk.memdesc<64x32xf16, #shared> -> !hk.memdesc<4x16x32xf16, #shared3>
  // CHECK: hk.memdesc_reinterpret %{{.+}} : !hk.memdesc<64x32xf16, #[[S]]> -> !hk.memdesc<1024xi32, #[[PLAIN]]>
  %words = hk.memdesc_reinterpret %tile : !hk.memdesc<64x32xf16, #shared> -> !hk.memdesc<1024xi32, #plain>
  // CHECK: hk.local_load %{{.+}} : !hk.memdesc<64x32xf16, #[[S]]> -> tensor<64x32xf16, #{{.+}}>
  %y = hk.local_load %slot : !hk.memdesc<64x32xf16, #shared> -> tensor<64x32xf16, #b>
  // CHECK: hk.local_store %{{.+}}, %{{.+}} : tensor<64x32xf16, #{{.+}}> -> !hk.memdesc<64x32xf16, #[[S]]>
  hk.local_store %y, %tile : tensor<64x32xf16, #b> -> !hk.memdesc<64x32xf16, #shared>
  // CHECK: hk.local_alloc : () -> !hk.memdesc<5x2x4xf32, #[[PADDED]]>
  %p = hk.local_alloc : () -> !hk.memdesc<5x2x4xf32, #padded>
  return
}

// -----

// Layouts that are not decided: kept by views and reductions, and held to fit any other, also in a kernel (C5).

#blocked = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: func.func public @undecided
func.func public @undecided(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: hk.arange 0 to 32 : tensor<32xi32, #hk.auto>
  %i = hk.arange 0 to 32 : tensor<32xi32, #hk.auto>
  // CHECK: arith.addi %{{.+}}, %{{.+}} : tensor<32xi32, #hk.auto>
  %j = arith.addi %i, %i : tensor<32xi32, #hk.auto>
  // CHECK: hk.expand_dims %{{.+}} axis = 0 : tensor<32xi32, #hk.auto> -> tensor<1x32xi32, #hk.auto>
  %row = hk.expand_dims %j axis = 0 : tensor<32xi32, #hk.auto> -> tensor<1x32xi32, #hk.auto>
  // CHECK: hk.broadcast %{{.+}} : tensor<1x32xi32, #hk.auto> -> tensor<16x32xi32, #hk.auto>
  %tile = hk.broadcast %row : tensor<1x32xi32, #hk.auto> -> tensor<16x32xi32, #hk.auto>
  // CHECK: hk.permute %{{.+}} [1, 0] : tensor<16x32xi32, #hk.auto> -> tensor<32x16xi32, #hk.auto>
  %t = hk.permute %tile [1, 0] : tensor<16x32xi32, #hk.auto> -> tensor<32x16xi32, #hk.auto>
  // CHECK: hk.reshape %{{.+}} : tensor<32x16xi32, #hk.auto> -> tensor<16x32xi32, #hk.auto>
  %r = hk.reshape %t : tensor<32x16xi32, #hk.auto> -> tensor<16x32xi32, #hk.auto>
  // CHECK: hk.convert_layout %{{.+}} : tensor<16x32xi32, #hk.auto> -> tensor<16x32xi32, #[[PINNED:.+]]>
  %pinned = hk.convert_layout %r : tensor<16x32xi32, #hk.auto> -> tensor<16x32xi32, #blocked>
  // CHECK: hk.reduce
  // CHECK: (tensor<16x32xi32, #hk.auto>) -> tensor<16xi32, #hk.auto>
  %sum = hk.reduce %r axis = 1 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    hk.combine.return %c : i32
  } : (tensor<16x32xi32, #hk.auto>) -> tensor<16xi32, #hk.auto>
  // CHECK: hk.expand_dims %{{.+}} axis = 1 : tensor<16xi32, #hk.auto> -> tensor<16x1xi32, #[[PINNED]]>
  %column = hk.expand_dims %sum axis = 1 : tensor<16xi32, #hk.auto> -> tensor<16x1xi32, #blocked>
  return
}
}

// -----

#blocked = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 8, order = [1, 0]>

// CHECK-LABEL: @copies
func.func @copies(%q: tensor<32x64x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<32x64xf16, #shared>,
                  %m: tensor<32x64xi1, #blocked>, %v: tensor<32x64xf16, #blocked>) {
  // CHECK: hk.async_copy_to_shared %{{.+}}, %{{.+}} : tensor<32x64x!hk.ptr<f16>, #{{.+}}> -> !hk.memdesc<32x64xf16, #{{.+}}>
  hk.async_copy_to_shared %q, %t : tensor<32x64x!hk.ptr<f16>, #blocked> -> !hk.memdesc<32x64xf16, #shared>
  // CHECK: hk.async_copy_to_shared %{{.+}}, %{{.+}}, mask %{{.+}} cache = cg :
  hk.async_copy_to_shared %q, %t, mask %m cache = cg : tensor<32x64x!hk.ptr<f16>, #blocked> -> !hk.memdesc<32x64xf16, #shared>
  // CHECK: hk.async_copy_to_shared %{{.+}}, %{{.+}} policy = <l2 = evict_first, prefetch = 128> :
  hk.async_copy_to_shared %q, %t policy = <l2 = evict_first, prefetch = 128> : tensor<32x64x!hk.ptr<f16>, #blocked> -> !hk.memdesc<32x64xf16, #shared>
  // CHECK: hk.async_copy_to_shared %{{.+}}, %{{.+}}, mask %{{.+}}, other %{{.+}} : tensor<32x64xf16, #{{.+}}> :
  hk.async_copy_to_shared %q, %t, mask %m, other %v : tensor<32x64xf16, #blocked> : tensor<32x64x!hk.ptr<f16>, #blocked> -> !hk.memdesc<32x64xf16, #shared>
  return
}
