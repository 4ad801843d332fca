// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Buffer accesses and waits: one case per numbered constraint, named after it. Constraints on the target and on the
// layout of copies in LDS are checked in the lowering: conversion/hk_amd_to_rocdl.

// buffer_load C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load' op at 'tensor<256xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' from '!hk.ptr<f16>' accesses 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_load %p[%o] : !hk.ptr<f16>, tensor<256xi32, #blocked> -> tensor<256xf32, #blocked>
  return
}

// -----

// buffer_load C2: other
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %m: tensor<256xi1, #blocked>,
  // expected-note@+1 {{prior use here}}
  %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{use of value '%v' expects different type than prior uses: 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' vs 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_load %p[%o], mask %m, other %v : !hk.ptr<f16>, tensor<256xi32, #blocked> -> tensor<256xf32, #blocked>
  return
}

// -----

// buffer_load C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load' op has 'other' but no mask, so 'other' would never be used}}
  %0 = "hk_amd.buffer_load"(%p, %o, %v) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!hk.ptr<f16>, tensor<256xi32, #blocked>, tensor<256xf16, #blocked>) -> tensor<256xf16, #blocked>
  return
}

// -----

// buffer_load: offsets of 64 bits
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi64, #blocked>) {
  // expected-error@+1 {{custom op 'hk_amd.buffer_load' 'offsets' must be tensor of i32 with a distributed layout, but got 'tensor<256xi64, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_load %p[%o] : !hk.ptr<f16>, tensor<256xi64, #blocked> -> tensor<256xf16, #blocked>
  return
}

// -----

// buffer_store C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_store' op at 'tensor<256xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' from '!hk.ptr<f16>' accesses 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  hk_amd.buffer_store %v, %p[%o] : tensor<256xf32, #blocked>, !hk.ptr<f16>, tensor<256xi32, #blocked>
  return
}

// -----

// buffer_atomic_rmw C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_atomic_rmw' op at 'tensor<256xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' from '!hk.ptr<f16>' accesses 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_atomic_rmw fadd, %p[%o], %v : !hk.ptr<f16>, tensor<256xi32, #blocked>, tensor<256xf32, #blocked>
  return
}

// -----

// buffer_atomic_rmw C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f32>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_atomic_rmw' op max needs integer elements, not 'f32'}}
  %0 = hk_amd.buffer_atomic_rmw max, %p[%o], %v : !hk.ptr<f32>, tensor<256xi32, #blocked>, tensor<256xf32, #blocked>
  return
}

// -----

// buffer_atomic_rmw C4
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<i16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xi16, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_atomic_rmw' op needs elements of 32 or 64 bits (16 for fadd), but 'i16' has 16}}
  %0 = hk_amd.buffer_atomic_rmw add, %p[%o], %v : !hk.ptr<i16>, tensor<256xi32, #blocked>, tensor<256xi16, #blocked>
  return
}

// -----

// buffer_load_to_shared C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %t: !hk.memdesc<128xf16, #shared>) {
  // expected-error@+1 {{'hk_amd.buffer_load_to_shared' op copies a tile of shape [256] of 'f16', not into '!hk.memdesc<128xf16, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_amd.buffer_load_to_shared %p[%o], %t : !hk.ptr<f16>, tensor<256xi32, #blocked> -> !hk.memdesc<128xf16, #shared>
  return
}

// -----

// buffer_load_to_shared C2: other
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %m: tensor<256xi1, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load_to_shared' op needs 'other' of type 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  hk_amd.buffer_load_to_shared %p[%o], %t, mask %m, other %v : tensor<256xf32, #blocked> : !hk.ptr<f16>, tensor<256xi32, #blocked> -> !hk.memdesc<256xf16, #shared>
  return
}

// -----

// buffer_load_to_shared C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load_to_shared' op has 'other' but no mask, so 'other' would never be used}}
  "hk_amd.buffer_load_to_shared"(%p, %o, %t, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (!hk.ptr<f16>, tensor<256xi32, #blocked>, !hk.memdesc<256xf16, #shared>, tensor<256xf16, #blocked>) -> ()
  return
}

// -----

// async_wait_group C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.async_wait_group' op attribute 'outstanding' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  hk.async_wait_group {outstanding = -1 : i32}
  return
}
