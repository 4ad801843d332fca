// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Pointer arithmetic and accesses of global memory: one case per numbered constraint, named after it.

// addptr C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: !hk.ptr<f32>, %i: tensor<128xi32, #b>) {
  // expected-error@+1 {{'hk.addptr' op needs operand types of one shape and layout, but has '!hk.ptr<f32>' and 'tensor<128xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.addptr %p, %i : !hk.ptr<f32>, tensor<128xi32, #b>
  return
}

// -----

// ptr_to_int C1
func.func @f(%p: !hk.ptr<f32>) {
  // expected-error@+1 {{'hk.ptr_to_int' op of '!hk.ptr<f32>' makes 'i64', not 'i32'}}
  %0 = hk.ptr_to_int %p : !hk.ptr<f32> -> i32
  return
}

// -----

// int_to_ptr C1
func.func @f(%i: i32) {
  // expected-error@+1 {{'hk.int_to_ptr' op to '!hk.ptr<f32>' needs 'i64', not 'i32'}}
  %0 = hk.int_to_ptr %i : i32 -> !hk.ptr<f32>
  return
}

// -----

// ptr_cast C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: !hk.ptr<f32>) {
  // expected-error@+1 {{'hk.ptr_cast' op needs operand types of one shape and layout, but has '!hk.ptr<f32>' and 'tensor<128x!hk.ptr<f32>, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.ptr_cast %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #b>
  return
}

// -----

// load C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>) {
  // expected-error@+1 {{'hk.load' op through 'tensor<128x!hk.ptr<f32>, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' accesses 'tensor<128xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>', not 'tensor<128xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.load %p : tensor<128x!hk.ptr<f32>, #b> -> tensor<128xf16, #b>
  return
}

// -----

// load C2: mask
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %m: tensor<64xi1, #b>) {
  // expected-error@+1 {{'hk.load' op failed to verify that mask is i1 in the shape and layout of ptr}}
  %0 = "hk.load"(%p, %m) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<64xi1, #b>) -> tensor<128xf32, #b>
  return
}

// -----

// load C2: other
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %m: tensor<128xi1, #b>, %o: f32) {
  // expected-error@+1 {{'hk.load' op failed to verify that other has the type of the result}}
  %0 = "hk.load"(%p, %m, %o) {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xi1, #b>, f32) -> tensor<128xf32, #b>
  return
}

// -----

// load C3
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %o: tensor<128xf32, #b>) {
  // expected-error@+1 {{'hk.load' op has 'other' but no mask, so 'other' would never be used}}
  %0 = "hk.load"(%p, %o) {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
  return
}

// -----

// store C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %v: f32) {
  // expected-error@+1 {{'hk.store' op through 'tensor<128x!hk.ptr<f32>, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' accesses 'tensor<128xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>', not 'f32'}}
  hk.store %p, %v : tensor<128x!hk.ptr<f32>, #b>, f32
  return
}

// -----

// store C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %v: tensor<128xf32, #b>, %m: i1) {
  // expected-error@+1 {{'hk.store' op failed to verify that mask is i1 in the shape and layout of ptr}}
  "hk.store"(%p, %v, %m) : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>, i1) -> ()
  return
}

// -----

// atomic_rmw C1
func.func @f(%p: !hk.ptr<f32>, %v: f16) {
  // expected-error@+1 {{'hk.atomic_rmw' op through '!hk.ptr<f32>' accesses 'f32', not 'f16'}}
  %0 = hk.atomic_rmw fadd, %p, %v : !hk.ptr<f32>, f16
  return
}

// -----

// atomic_rmw C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %v: tensor<128xf32, #b>, %m: i1) {
  // expected-error@+1 {{'hk.atomic_rmw' op failed to verify that mask is i1 in the shape and layout of ptr}}
  %0 = "hk.atomic_rmw"(%p, %v, %m) {op = #hk<atomic_op fadd>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>, i1) -> tensor<128xf32, #b>
  return
}

// -----

// atomic_rmw C3: float
func.func @f(%p: !hk.ptr<i32>, %v: i32) {
  // expected-error@+1 {{'hk.atomic_rmw' op fadd needs float elements, not 'i32'}}
  %0 = hk.atomic_rmw fadd, %p, %v : !hk.ptr<i32>, i32
  return
}

// -----

// atomic_rmw C3: integer
func.func @f(%p: !hk.ptr<f32>, %v: f32) {
  // expected-error@+1 {{'hk.atomic_rmw' op max needs integer elements, not 'f32'}}
  %0 = hk.atomic_rmw max, %p, %v : !hk.ptr<f32>, f32
  return
}

// -----

// atomic_rmw C4
func.func @f(%p: !hk.ptr<i8>, %v: i8) {
  // expected-error@+1 {{'hk.atomic_rmw' op needs elements of 16, 32 or 64 bits, but 'i8' has 8}}
  %0 = hk.atomic_rmw add, %p, %v : !hk.ptr<i8>, i8
  return
}

// -----

// atomic_cas C1
func.func @f(%p: !hk.ptr<i32>, %v: i64) {
  // expected-error@+1 {{'hk.atomic_cas' op through '!hk.ptr<i32>' accesses 'i32', not 'i64'}}
  %0 = hk.atomic_cas %p, %v, %v : !hk.ptr<i32>, i64
  return
}

// -----

// atomic_cas C2
func.func @f(%p: !hk.ptr<i8>, %v: i8) {
  // expected-error@+1 {{'hk.atomic_cas' op needs elements of 16, 32 or 64 bits, but 'i8' has 8}}
  %0 = hk.atomic_cas %p, %v, %v : !hk.ptr<i8>, i8
  return
}
