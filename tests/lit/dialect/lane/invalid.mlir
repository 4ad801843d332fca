// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

// load: address space
llvm.func @f(%p: !llvm.ptr) {
  // expected-error@+1 {{'lane.load' op operand #0 must be pointer to global memory (!llvm.ptr<1>), but got '!llvm.ptr'}}
  %0 = lane.load %p : !llvm.ptr -> i32
  llvm.return
}

// -----

// load C1: bits
llvm.func @f(%p: !llvm.ptr<1>) {
  // expected-error@+1 {{'lane.load' op accesses 8, 16, 32, 64 or 128 bits, as a scalar or a 1-D vector, not 'vector<3xf32>'}}
  %0 = lane.load %p : !llvm.ptr<1> -> vector<3xf32>
  llvm.return
}

// -----

// load C1: bool
llvm.func @f(%p: !llvm.ptr<1>) {
  // expected-error@+1 {{'lane.load' op accesses 8, 16, 32, 64 or 128 bits, as a scalar or a 1-D vector, not 'i1'}}
  %0 = lane.load %p : !llvm.ptr<1> -> i1
  llvm.return
}

// -----

// load C1: dimensions
llvm.func @f(%p: !llvm.ptr<1>) {
  // expected-error@+1 {{'lane.load' op accesses 8, 16, 32, 64 or 128 bits, as a scalar or a 1-D vector, not 'vector<2x2xf32>'}}
  %0 = lane.load %p : !llvm.ptr<1> -> vector<2x2xf32>
  llvm.return
}

// -----

// load C2
llvm.func @f(%p: !llvm.ptr<1>, %ok: i1, %other: i32) {
  // expected-error@+1 {{'lane.load' op failed to verify that other has the type of the result}}
  %0 = "lane.load"(%p, %ok, %other) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!llvm.ptr<1>, i1, i32) -> f32
  llvm.return
}

// -----

// load C3
llvm.func @f(%p: !llvm.ptr<1>, %other: i32) {
  // expected-error@+1 {{'lane.load' op has 'other' but no predicate, so 'other' would never be used}}
  %0 = "lane.load"(%p, %other) {operandSegmentSizes = array<i32: 1, 0, 1>} : (!llvm.ptr<1>, i32) -> i32
  llvm.return
}

// -----

// store C1
llvm.func @f(%p: !llvm.ptr<1>, %v: vector<8xf32>) {
  // expected-error@+1 {{'lane.store' op accesses 8, 16, 32, 64 or 128 bits, as a scalar or a 1-D vector, not 'vector<8xf32>'}}
  lane.store %p, %v : !llvm.ptr<1>, vector<8xf32>
  llvm.return
}

// -----

// atomic_rmw C1
llvm.func @f(%p: !llvm.ptr<1>, %v: i8) {
  // expected-error@+1 {{'lane.atomic_rmw' op needs 16, 32 or 64 bits, not 'i8'}}
  %0 = lane.atomic_rmw add relaxed gpu, %p, %v : !llvm.ptr<1>, i8
  llvm.return
}

// -----

// atomic_rmw C2: float
llvm.func @f(%p: !llvm.ptr<1>, %v: i32) {
  // expected-error@+1 {{'lane.atomic_rmw' op fadd needs a float, not 'i32'}}
  %0 = lane.atomic_rmw fadd relaxed gpu, %p, %v : !llvm.ptr<1>, i32
  llvm.return
}

// -----

// atomic_rmw C2: integer
llvm.func @f(%p: !llvm.ptr<1>, %v: f32) {
  // expected-error@+1 {{'lane.atomic_rmw' op umin needs an integer, not 'f32'}}
  %0 = lane.atomic_rmw umin relaxed gpu, %p, %v : !llvm.ptr<1>, f32
  llvm.return
}

// -----

// atomic_cas C1: bits
llvm.func @f(%p: !llvm.ptr<1>, %v: i8) {
  // expected-error@+1 {{'lane.atomic_cas' op needs 16, 32 or 64 bits, not 'i8'}}
  %0 = lane.atomic_cas relaxed gpu, %p, %v, %v : !llvm.ptr<1>, i8
  llvm.return
}

// -----

// atomic_cas C1: scalar
llvm.func @f(%p: !llvm.ptr<1>, %v: vector<2xf16>) {
  // expected-error@+1 {{'lane.atomic_cas' op swaps a scalar, not 'vector<2xf16>'}}
  %0 = lane.atomic_cas relaxed gpu, %p, %v, %v : !llvm.ptr<1>, vector<2xf16>
  llvm.return
}

// -----

// print C1
llvm.func @f(%v: i32) {
  // expected-error@+1 {{'lane.print' op has a text whose placeholders do not match its values}}
  lane.print "{f}" [] of %v : i32
  llvm.return
}

// -----

// mma C1: name
llvm.func @f(%a: vector<4xi32>, %b: vector<2xi32>, %c: vector<4xf32>) {
  // expected-error@+1 {{'lane.mma' op names no instruction: mma.m8n8k8}}
  %0 = lane.mma "mma.m8n8k8" %a, %b, %c : vector<4xi32>, vector<2xi32>, vector<4xf32>
  llvm.return
}

// -----

// mma C1: accumulators
llvm.func @f(%a: vector<4xi32>, %b: vector<2xi32>, %c: vector<4xf32>) {
  // expected-error@+1 {{'lane.mma' op accumulates in i32, not 'f32'}}
  %0 = lane.mma "mma.m16n8k32.row.col.s8" %a, %b, %c : vector<4xi32>, vector<2xi32>, vector<4xf32>
  llvm.return
}

// -----

// mbarrier_wait: address space
llvm.func @f(%p: !llvm.ptr<1>, %parity: i32) {
  // expected-error@+1 {{'lane.mbarrier_wait' op operand #0 must be pointer to shared memory (!llvm.ptr<3>), but got '!llvm.ptr<1>'}}
  lane.mbarrier_wait %p, %parity : !llvm.ptr<1>
  llvm.return
}

// -----

// cache_policy C1
llvm.func @f() {
  // expected-error@+1 {{'lane.cache_policy' op has a policy without an L2 part}}
  %0 = lane.cache_policy <l1 = evict_last>
  llvm.return
}

// -----

// store_async C1: words
llvm.func @f(%x: i32, %p: !llvm.ptr<7>) {
  // expected-error@+1 {{'lane.store_async' op stores 1, 2 or 4 words, not 3}}
  lane.store_async %x, %x, %x to %p, %p : !llvm.ptr<7>, !llvm.ptr<7>
  llvm.return
}
