// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

// config C1: clock
// expected-error@+1 {{clock must be 32 or 44, but is 64}}
module attributes {a = #prof.config<auto, circular, clock = 64, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 0>} {}

// -----

// config C2: bytes
// expected-error@+1 {{bytes must be 0, or a power of two from 16 to 16777216, but is 24}}
module attributes {a = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 24, stages = true, max_ctas = 0>} {}

// -----

// config C3: warps
// expected-error@+1 {{warps must be numbers of warps in ascending order, but are [4, 0]}}
module attributes {a = #prof.config<auto, circular, clock = 32, units = warp, warps = [4, 0], bytes = 0, stages = true, max_ctas = 0>} {}

// -----

// config C4: max_ctas of a static buffer
// expected-error@+1 {{max_ctas must be at least 1 where the space is static, but is 0}}
module attributes {a = #prof.config<static, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 0>} {}

// -----

// config C4: max_ctas elsewhere
// expected-error@+1 {{max_ctas must be 0 where the space is device, but is 2}}
module attributes {a = #prof.config<device, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 2>} {}

// -----

// config C5: flush
// expected-error@+1 {{policy flush moves records out of shared memory, but the space is device}}
module attributes {a = #prof.config<device, flush, clock = 32, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 0>} {}

// -----

// records C1: space
// expected-error@+1 {{the space of records must be shared, device or static}}
func.func private @f(!hk.memdesc<1x4xi32, #prof.records<auto>>)

// -----

// record C1: a mark is of a mark's site
func.func @f() {
  // expected-error@+1 {{'prof.record' op of kind mark cannot be of a site of kind scope}}
  prof.record mark "a"
  return
}

// -----

// record C1: a scope is not of a mark's
func.func @f() {
  // expected-error@+1 {{'prof.record' op of kind begin cannot be of a site of kind token}}
  prof.record begin "a" as token
  return
}

// -----

// record C2: payload of an end
func.func @f(%k: i32) {
  // expected-error@+1 {{'prof.record' op cannot have a payload: the record that begins the scope has it}}
  prof.record end "a" payload %k : i32
  return
}

// -----

// record C3: name
func.func @f() {
  // expected-error@+1 {{'prof.record' op must have a name}}
  prof.record begin ""
  return
}

// -----

// begin C1: name
func.func @f() {
  // expected-error@+1 {{'prof.begin' op must have a name}}
  %t = prof.begin ""
  return
}

// -----

// buffer_alloc C1: a slot for each warp
func.func @f() {
  // expected-error@+1 {{'prof.buffer_alloc' op must be an i32 array with a row of at least 4 words for each of 2 warps, in #prof.records, not '!hk.memdesc<1x4xi32, #prof.records<device>>'}}
  %b = prof.buffer_alloc warps = [0, 1] : !hk.memdesc<1x4xi32, #prof.records<device>>
  return
}

// -----

// buffer_alloc C1: layout
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f() {
  // expected-error@+1 {{must be an i32 array with a row of at least 4 words for each of 1 warps, in #prof.records}}
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #shared>
  return
}

// -----

// buffer_alloc C2: order of warps
func.func @f() {
  // expected-error@+1 {{'prof.buffer_alloc' op must name warps in ascending order}}
  %b = prof.buffer_alloc warps = [1, 0] : !hk.memdesc<2x4xi32, #prof.records<device>>
  return
}

// -----

// buffer_alloc C3: two of a kernel
func.func @f() {
  // expected-error@+2 {{'prof.buffer_alloc' op is the second prof.buffer_alloc of a kernel}}
  // expected-note@+2 {{the first prof.buffer_alloc is here}}
  %a = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  return
}

// -----

// buffer_alloc C4: symbol
func.func @f() {
  // expected-error@+1 {{'prof.buffer_alloc' op must have a symbol if and only if its space is static}}
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<static>>
  return
}

// -----

// buffer_alloc C5: a load
#row = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [1, 32], warps_per_cta = [1, 1], order = [1, 0]>
func.func @f() -> tensor<1x4xi32, #row> {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  // expected-error@+1 {{'hk.local_load' op cannot use the memory of a prof.buffer_alloc, because no barriers are inserted for it}}
  %x = hk.local_load %b : !hk.memdesc<1x4xi32, #prof.records<device>> -> tensor<1x4xi32, #row>
  return %x : tensor<1x4xi32, #row>
}

// -----

// buffer_alloc C5: a view
func.func @f(%i: i32) {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  // expected-error@+1 {{'hk.memdesc_index' op cannot use the memory of a prof.buffer_alloc, because no barriers are inserted for it}}
  %x = hk.memdesc_index %b[%i] : !hk.memdesc<1x4xi32, #prof.records<device>> -> !hk.memdesc<4xi32, #prof.records<device>>
  return
}

// -----

// buffer_alloc C6: a site for flushes
func.func @f() {
  // expected-error@+1 {{'prof.buffer_alloc' op must have a site for flushes if and only if its records are staged}}
  %b = prof.buffer_alloc warps = [0] staging = 512 : !hk.memdesc<1x128xi32, #prof.records<device>>
  return
}

// -----

// buffer_alloc C6: space
func.func @f() {
  // expected-error@+1 {{'prof.buffer_alloc' op stages records only for device memory, which holds at least the staged records of a warp}}
  %b = prof.buffer_alloc warps = [0] staging = 512 site 0 : !hk.memdesc<1x128xi32, #prof.records<shared>>
  return
}

// -----

// buffer_alloc C6: size
func.func @f() {
  // expected-error@+1 {{'prof.buffer_alloc' op stages records only for device memory, which holds at least the staged records of a warp}}
  %b = prof.buffer_alloc warps = [0] staging = 1024 site 0 : !hk.memdesc<1x128xi32, #prof.records<device>>
  return
}

// -----

// init C1: buffer
func.func @f(%b: !hk.memdesc<1x4xi32, #prof.records<device>>) {
  // expected-error@+1 {{'prof.init' op needs the buffer of a prof.buffer_alloc}}
  prof.init %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  return
}

// -----

// init C1: block
func.func @f(%c: i1) {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  scf.if %c {
    // expected-error@+1 {{'prof.init' op is in another IR block than its prof.buffer_alloc}}
    prof.init %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  }
  return
}

// -----

// finalize C1: buffer
func.func @f(%b: !hk.memdesc<1x4xi32, #prof.records<device>>) {
  // expected-error@+1 {{'prof.finalize' op needs the buffer of a prof.buffer_alloc}}
  prof.finalize %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  return
}

// -----

// finalize C2: loop
func.func @f(%n: index) {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  scf.for %i = %n to %n step %n {
    // expected-error@+1 {{'prof.finalize' op cannot be in a loop}}
    prof.finalize %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  }
  return
}

// -----

// finalize C2: stage of a pipeline, whose groups of warps are apart
func.func @f() {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  hk.stage "load" {
    // expected-error@+1 {{'prof.finalize' op cannot be in a stage of a warp pipeline, whose groups of warps are at different stages}}
    prof.finalize %b : !hk.memdesc<1x4xi32, #prof.records<device>>
    hk.stage_yield
  }
  return
}

// -----

// dealloc C2: used afterwards
func.func @f() {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  prof.finalize %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  // expected-error@+1 {{'prof.finalize' op uses the buffer after its prof.buffer_dealloc}}
  prof.finalize %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  return
}

// -----

// dealloc C3: nothing finalized
func.func @f() {
  %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x4xi32, #prof.records<device>>
  // expected-error@+1 {{'prof.buffer_dealloc' op needs a prof.finalize of the buffer before it}}
  prof.buffer_dealloc %b : !hk.memdesc<1x4xi32, #prof.records<device>>
  return
}
