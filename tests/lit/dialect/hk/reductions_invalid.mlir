// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Reductions and dot_fma: one case per numbered constraint, named after it.

// reduce C1: no operand
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f() {
  // expected-error@+1 {{'hk.reduce' op needs at least one operand}}
  "hk.reduce"() <{axis = 0 : i32}> ({
    "hk.combine.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// reduce C1: layouts
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>, %y: tensor<16x32xf32, #c>) {
  // expected-error@+1 {{'hk.reduce' op needs operands of one shape and layout, but has 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and 'tensor<16x32xf32, #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>>'}}
  %0:2 = hk.reduce %x, %y axis = 0 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>, tensor<16x32xf32, #c>) -> (f32, f32)
  return
}

// -----

// reduce C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op axis must be in 0..1, but is 2}}
  %0 = hk.reduce %x axis = 2 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> f32
  return
}

// -----

// reduce C3
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op of 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' along axis 1 makes 'tensor<16xf32, #hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>>', not 'tensor<16xf32, #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>>'}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> tensor<16xf32, #hk.slice<dim = 0, parent = #b>>
  return
}

// -----

// reduce C3: scalar
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op of 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' along axis 1 makes 'tensor<16xf32, #hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>>', not 'f32'}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> f32
  return
}

// -----

// reduce C3: number of results
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op has 1 operands but 2 results}}
  %0:2 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> (f32, f32)
  return
}

// -----

// reduce C4: arguments
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op combines ('f32', 'f32'), but its region takes ('f32', 'f16')}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f16):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> tensor<16xf32, #hk.slice<dim = 1, parent = #b>>
  return
}

// -----

// reduce C4: returned values
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op must return ('f32') from its region, but returns ('f32', 'f32')}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l, %r : f32, f32
  } : (tensor<16x32xf32, #b>) -> tensor<16xf32, #hk.slice<dim = 1, parent = #b>>
  return
}

// -----

// combine.return C1
func.func @f(%x: f32) {
  // expected-error@+1 {{'hk.combine.return' op must be in a region that combines elements, such as that of hk.reduce}}
  hk.combine.return %x : f32
}

// -----

// dot_fma C1: shapes
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<16x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op multiplies [M, K] by [K, N] into [M, N], but has [16, 8], [16, 32] and [16, 32]}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<16x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// dot_fma C1: ranks
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<128xf32, #b1>) {
  // expected-error@+1 {{'hk.dot_fma' op needs three tensors of rank 2, or of rank 3, but has ranks 2, 2 and 1}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<128xf32, #b1>
  return
}

// -----

// dot_fma C2: a layout that is not decided
func.func @f(%a: tensor<64x32xf32, #hk.auto>, %b: tensor<32x64xf32, #hk.auto>, %c: tensor<64x64xf32, #hk.auto>) {
  // expected-error@+1 {{'hk.dot_fma' op needs an accumulator in a #hk.blocked layout, not #hk.auto}}
  %0 = hk.dot_fma %a, %b, %c : tensor<64x32xf32, #hk.auto>, tensor<32x64xf32, #hk.auto> -> tensor<64x64xf32, #hk.auto>
  return
}

// -----

// dot_fma C2: accumulator
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>>) {
  // expected-error@+1 {{'hk.dot_fma' op needs an accumulator in a #hk.blocked layout, not #hk.dot_operand<op_idx = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>>
  return
}

// -----

// dot_fma C2: operand
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %c: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operand 1 in layout #hk.dot_operand<op_idx = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>, not #hk.dot_operand<op_idx = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// dot_fma C3
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf16, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'f32', 'f32' and 'f16'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf16, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf16, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf16, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xbf16, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'f16', 'f16' and 'bf16'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf16, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf16, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xbf16, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf8E4M3FN, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf8E4M3FN, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'f8E4M3FN', 'f8E4M3FN' and 'f32'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf8E4M3FN, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf8E4M3FN, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xi16, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xi16, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xi32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'i16', 'i16' and 'i32'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xi16, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xi16, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xi32, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xi1, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xi1, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xi1, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'i1', 'i1' and 'i1'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xi1, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xi1, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xi1, #b>
  return
}
