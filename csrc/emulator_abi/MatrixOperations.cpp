//===- MatrixOperations.cpp - The table of matrix instructions ------------------------===//
#include "emulator_abi/MatrixOperations.h"

namespace hocket::host_abi {

using enum NumberFormat;

static constexpr bool kYes = true, kNo = false;
static constexpr uint8_t kWarp = kNvidiaWarpSize;

static constexpr MatrixOperation kOperations[] = {
    // name                          m   n   k  blocks  a     b     c   CDNA3  CDNA4
    {"mfma.f32.32x32x1f32", 32, 32, 1, 2, F32, F32, F32, kYes, kYes},
    {"mfma.f32.16x16x1f32", 16, 16, 1, 4, F32, F32, F32, kYes, kYes},
    {"mfma.f32.4x4x1f32", 4, 4, 1, 16, F32, F32, F32, kYes, kYes},
    {"mfma.f32.32x32x2f32", 32, 32, 2, 1, F32, F32, F32, kYes, kYes},
    {"mfma.f32.16x16x4f32", 16, 16, 4, 1, F32, F32, F32, kYes, kYes},
    {"mfma.f32.16x16x8.xf32", 16, 16, 8, 1, TF32, TF32, F32, kYes, kNo},
    {"mfma.f32.32x32x4.xf32", 32, 32, 4, 1, TF32, TF32, F32, kYes, kNo},
    {"mfma.f64.16x16x4f64", 16, 16, 4, 1, F64, F64, F64, kYes, kYes},
    {"mfma.f64.4x4x4f64", 4, 4, 4, 4, F64, F64, F64, kYes, kYes},

    {"mfma.f32.32x32x4f16", 32, 32, 4, 2, F16, F16, F32, kYes, kYes},
    {"mfma.f32.16x16x4f16", 16, 16, 4, 4, F16, F16, F32, kYes, kYes},
    {"mfma.f32.4x4x4f16", 4, 4, 4, 16, F16, F16, F32, kYes, kYes},
    {"mfma.f32.32x32x8f16", 32, 32, 8, 1, F16, F16, F32, kYes, kYes},
    {"mfma.f32.16x16x16f16", 16, 16, 16, 1, F16, F16, F32, kYes, kYes},
    {"mfma.f32.32x32x16.f16", 32, 32, 16, 1, F16, F16, F32, kNo, kYes},
    {"mfma.f32.16x16x32.f16", 16, 16, 32, 1, F16, F16, F32, kNo, kYes},

    {"mfma.f32.32x32x4bf16.1k", 32, 32, 4, 2, BF16, BF16, F32, kYes, kYes},
    {"mfma.f32.16x16x4bf16.1k", 16, 16, 4, 4, BF16, BF16, F32, kYes, kYes},
    {"mfma.f32.4x4x4bf16.1k", 4, 4, 4, 16, BF16, BF16, F32, kYes, kYes},
    {"mfma.f32.32x32x8bf16.1k", 32, 32, 8, 1, BF16, BF16, F32, kYes, kYes},
    {"mfma.f32.16x16x16bf16.1k", 16, 16, 16, 1, BF16, BF16, F32, kYes, kYes},
    {"mfma.f32.32x32x16.bf16", 32, 32, 16, 1, BF16, BF16, F32, kNo, kYes},
    {"mfma.f32.16x16x32.bf16", 16, 16, 32, 1, BF16, BF16, F32, kNo, kYes},

    {"mfma.i32.32x32x4i8", 32, 32, 4, 2, I8, I8, I32, kYes, kYes},
    {"mfma.i32.16x16x4i8", 16, 16, 4, 4, I8, I8, I32, kYes, kYes},
    {"mfma.i32.4x4x4i8", 4, 4, 4, 16, I8, I8, I32, kYes, kYes},
    {"mfma.i32.32x32x16.i8", 32, 32, 16, 1, I8, I8, I32, kYes, kYes},
    {"mfma.i32.16x16x32.i8", 16, 16, 32, 1, I8, I8, I32, kYes, kYes},
    {"mfma.i32.32x32x32.i8", 32, 32, 32, 1, I8, I8, I32, kNo, kYes},
    {"mfma.i32.16x16x64.i8", 16, 16, 64, 1, I8, I8, I32, kNo, kYes},

    {"mfma.f32.32x32x16.fp8.fp8", 32, 32, 16, 1, E4M3, E4M3, F32, kYes, kYes},
    {"mfma.f32.32x32x16.fp8.bf8", 32, 32, 16, 1, E4M3, E5M2, F32, kYes, kYes},
    {"mfma.f32.32x32x16.bf8.fp8", 32, 32, 16, 1, E5M2, E4M3, F32, kYes, kYes},
    {"mfma.f32.32x32x16.bf8.bf8", 32, 32, 16, 1, E5M2, E5M2, F32, kYes, kYes},
    {"mfma.f32.16x16x32.fp8.fp8", 16, 16, 32, 1, E4M3, E4M3, F32, kYes, kYes},
    {"mfma.f32.16x16x32.fp8.bf8", 16, 16, 32, 1, E4M3, E5M2, F32, kYes, kYes},
    {"mfma.f32.16x16x32.bf8.fp8", 16, 16, 32, 1, E5M2, E4M3, F32, kYes, kYes},
    {"mfma.f32.16x16x32.bf8.bf8", 16, 16, 32, 1, E5M2, E5M2, F32, kYes, kYes},

    {"mfma.scale.f32.32x32x64.f8f6f4", 32, 32, 64, 1, E4M3, E4M3, F32, kNo, kYes, true},
    {"mfma.scale.f32.16x16x128.f8f6f4", 16, 16, 128, 1, E4M3, E4M3, F32, kNo, kYes, true},

    {"mma.m16n8k16.row.col.f32.f32", 16, 8, 16, 1, F16, F16, F32, kNo, kNo, false, kWarp},
    {"mma.m16n8k16.row.col.bf16", 16, 8, 16, 1, BF16, BF16, F32, kNo, kNo, false, kWarp},
    {"mma.m16n8k8.row.col.tf32", 16, 8, 8, 1, TF32, TF32, F32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.s8", 16, 8, 32, 1, I8, I8, I32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.s8.u8", 16, 8, 32, 1, I8, U8, I32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.u8.s8", 16, 8, 32, 1, U8, I8, I32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.u8", 16, 8, 32, 1, U8, U8, I32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 1, E4M3, E4M3, F32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, 1, E4M3, E5M2, F32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.f32.e5m2.e4m3.f32", 16, 8, 32, 1, E5M2, E4M3, F32, kNo, kNo, false, kWarp},
    {"mma.m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, 1, E5M2, E5M2, F32, kNo, kNo, false, kWarp},
};

std::span<const MatrixOperation> matrixOperations() { return kOperations; }

} // namespace hocket::host_abi
