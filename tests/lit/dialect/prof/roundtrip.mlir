// RUN: hocket-opt %s | hocket-opt | FileCheck %s

// CHECK: #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 0>
// CHECK-SAME: #prof.config<static, keep_first, clock = 44, units = group, warps = [0, 4], bytes = 512, stages = false, max_ctas = 8>
// CHECK-SAME: #prof.site<"load", stage, parent = -1, file = "k.py", line = 12, stage = 0, payload = false, exclusive = true>
// CHECK-SAME: #prof.config<shared, flush, clock = 32, units = warp, warps = [], bytes = 4096, stages = true, max_ctas = 0, waits = auto>
module {
func.func private @attributes() attributes {
  a = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = true, max_ctas = 0>,
  b = #prof.config<static, keep_first, clock = 44, units = group, warps = [0, 4], bytes = 512, stages = false, max_ctas = 8>,
  d = #prof.config<shared, flush, clock = 32, units = warp, warps = [], bytes = 4096, stages = true, max_ctas = 0, waits = auto>,
  c = [#prof.site<"load", stage, parent = -1, file = "k.py", line = 12, stage = 0, payload = false, exclusive = true>]}

// CHECK-LABEL: @records
func.func @records(%k: i32, %c: i1) -> i32 {
  // CHECK: prof.record begin "load"{{$}}
  prof.record begin "load"
  // CHECK: prof.record end "load" as stage site 3
  prof.record end "load" as stage site 3
  // CHECK: prof.record mark "k" payload %{{.+}} : i32 when %{{.+}} as mark
  prof.record mark "k" payload %k : i32 when %c as mark
  // CHECK: prof.begin "tma" payload %{{.+}} : i32 when %{{.+}} site 1
  %t = prof.begin "tma" payload %k : i32 when %c site 1
  // CHECK: prof.end
  prof.end %t
  return %t : i32
}

// CHECK-LABEL: @buffers
func.func @buffers(%tag: i32, %c: i1) {
  // CHECK: prof.buffer_alloc warps = [0, 4] symbol = "k_profile" : !hk.memdesc<2x128xi32, #prof.records<static>>
  %b = prof.buffer_alloc warps = [0, 4] symbol = "k_profile" : !hk.memdesc<2x128xi32, #prof.records<static>>
  // CHECK: prof.init
  prof.init %b : !hk.memdesc<2x128xi32, #prof.records<static>>
  // CHECK: prof.read_clock : i64
  %w = prof.read_clock : i64
  // CHECK: prof.store_record %{{.+}} at %{{.+}} : i64 when %{{.+}}
  prof.store_record %tag at %w : i64 when %c
  // CHECK: prof.finalize
  prof.finalize %b : !hk.memdesc<2x128xi32, #prof.records<static>>
  // CHECK: prof.buffer_dealloc
  prof.buffer_dealloc %b : !hk.memdesc<2x128xi32, #prof.records<static>>
  return
}

// CHECK-LABEL: @staged
func.func @staged() {
  // CHECK: prof.buffer_alloc warps = [0] staging = 512 site 7 offset = 64 : !hk.memdesc<1x256xi32, #prof.records<device>>
  %b = prof.buffer_alloc warps = [0] staging = 512 site 7 offset = 64 : !hk.memdesc<1x256xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<1x256xi32, #prof.records<device>>
  prof.finalize %b : !hk.memdesc<1x256xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<1x256xi32, #prof.records<device>>
  return
}
}
