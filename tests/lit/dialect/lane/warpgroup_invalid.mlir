// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

// wgmma C1: name
llvm.func @f(%a: i64, %w: i32, %f: f32) {
  // expected-error@+1 {{'lane.wgmma' op names no instruction: m64n8k16.f32.f16.bf16}}
  %d:4 = lane.wgmma "m64n8k16.f32.f16.bf16"[%a], %a into %f, %f, %f, %f : (i64), (f32, f32, f32, f32)
  llvm.return
}

// -----

// wgmma C1: accumulators
llvm.func @f(%a: i64, %w: i32, %f: f32) {
  // expected-error@+1 {{'lane.wgmma' op has 4 accumulators of 'f32'}}
  %d:2 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %a into %f, %f : (i64), (f32, f32)
  llvm.return
}

// -----

// wgmma C1: their type
llvm.func @f(%a: i64, %w: i32, %f: f32) {
  // expected-error@+1 {{'lane.wgmma' op has 2 accumulators of 'i32'}}
  %d:2 = lane.wgmma "m64n8k16.f16.f16.f16"[%a], %a into %f, %f : (i64), (f32, f32)
  llvm.return
}

// -----

// wgmma C2
llvm.func @f(%a: i64, %w: i32, %f: f32) {
  // expected-error@+1 {{'lane.wgmma' op takes operand a as one i64 or as 4 i32}}
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%w], %a into %f, %f, %f, %f : (i32), (f32, f32, f32, f32)
  llvm.return
}

// -----

// wgmma C3: bytes
llvm.func @f(%a: i64, %w: i32, %f: f32) {
  // expected-error@+1 {{'lane.wgmma' op transposes only 16-bit elements in shared memory}}
  %d:4 = lane.wgmma "m64n8k8.f32.tf32.tf32"[%a], %a into %f, %f, %f, %f {transposedB} : (i64), (f32, f32, f32, f32)
  llvm.return
}

// -----

// wgmma C3: registers
llvm.func @f(%a: i64, %w: i32, %f: f32) {
  // expected-error@+1 {{'lane.wgmma' op transposes only 16-bit elements in shared memory}}
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%w, %w, %w, %w], %a into %f, %f, %f, %f {transposedA} : (i32, i32, i32, i32), (f32, f32, f32, f32)
  llvm.return
}
