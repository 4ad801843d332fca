"""Prints a kernel with one instruction's worth of hk_amd.mfma: mfma.py TARGET A B M N K [transposed].

TARGET is gfx942 or gfx950; A and B are element types; M, N and K are the instruction's shape. `scaled` before A prints
hk_amd.mfma_scaled of the formats A and B instead, `unscaled` the same without scales.
"""

import sys


def layouts(target, shape, element_bits, transposed, widths):
    version = {"gfx942": 3, "gfx950": 4}[target]
    m, n, k = shape
    return f"""
#mfma = #hk_amd.mfma<version = {version}, instr_shape = [{m}, {n}, {k}], transposed = {transposed},
                     warps_per_cta = [1, 1], element_bits = {element_bits}>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = {widths[0]}>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = {widths[1]}>
"""


def kernel(target, operands, product):
    """`operands`: name -> (shape, element type, layout); the last is the accumulator."""
    body = ""
    for name, (shape, element, layout) in operands.items():
        pointers = f"tensor<{shape}x!hk.ptr<{element}>, {layout}>"
        body += f"  %at_{name} = hk.splat %p_{name} : !hk.ptr<{element}> -> {pointers}\n"
        body += f"  %{name} = hk.load %at_{name} : {pointers} -> tensor<{shape}x{element}, {layout}>\n"
    parameters = ", ".join(f"%p_{name}: !hk.ptr<{element}>" for name, (_, element, _) in operands.items())
    return f"""
module attributes {{hk.target = "{target}", hk.num_warps = 1 : i32}} {{
func.func public @product({parameters}) attributes {{hk.kernel}} {{
{body}
  {product}
  hk.store %at_acc, %d : {pointers}, tensor<{shape}x{element}, {layout}>
  return
}}
}}
"""


def plain(target, a, b, m, n, k, transposed):
    acc = {"f64": "f64", "i8": "i32"}.get(a, "f32")
    width = {"f64": 1, "f32": 2, "f16": 4, "bf16": 4}.get(a, 8)
    operands = {"a": (f"{m}x{2 * k}", a, "#a"), "b": (f"{2 * k}x{n}", b, "#b"), "acc": (f"{m}x{n}", acc, "#mfma")}
    types = [f"tensor<{shape}x{element}, {layout}>" for shape, element, layout in operands.values()]
    product = f"%d = hk_amd.mfma %a, %b, %acc : {types[0]}, {types[1]} -> {types[2]}"
    bits = 64 if a == "f64" else 32
    return layouts(target, (m, n, k), bits, transposed, (width, width)) + kernel(target, operands, product)


def unscaled(*arguments):
    return scaled(*arguments, has_scales=False)


def scaled(target, a, b, m, n, k, transposed, has_scales=True):
    scale = f"#hk.linear<reg = [], lane = {scale_lanes(m)}, warp = [], block = [], shape = [{m}, {k // 32}]>"
    depths = [k // 2 if name == "e2m1" else k for name in (a, b)]
    operands = {  # in the order of hk_amd.mfma_scaled
        "a": (f"{m}x{depths[0]}", "i8", "#a"),
        "sa": (f"{m}x{k // 32}", "i8", "#scale"),
        "b": (f"{depths[1]}x{n}", "i8", "#b"),
        "sb": (f"{n}x{k // 32}", "i8", "#scale"),
        "acc": (f"{m}x{n}", "f32", "#mfma"),
    }
    if not has_scales:
        del operands["sa"], operands["sb"]
    scales = {"a": " scale %sa", "b": " scale %sb"} if has_scales else {"a": "", "b": ""}
    types = ", ".join(f"tensor<{shape}x{element}, {layout}>" for shape, element, layout in operands.values())
    product = f"%d = hk_amd.mfma_scaled %a{scales['a']} {a}, %b{scales['b']} {b}, %acc : ({types})"
    product += f" -> tensor<{m}x{n}xf32, #mfma>"
    widths = [32 if name in ("e2m3", "e3m2") else 16 for name in (a, b)]
    head = layouts(target, (m, n, k), 32, transposed, widths) + f"#scale = {scale}\n"
    return head + kernel(target, operands, product)


def scale_lanes(rows):
    lanes = [[1 << bit, 0] for bit in range(6) if 1 << bit < rows]
    return str(lanes + [[0, 1 << bit] for bit in range(6 - len(lanes))])


if __name__ == "__main__":
    target, *rest = sys.argv[1:]
    make = {"scaled": scaled, "unscaled": unscaled}.get(rest[0], plain)
    if make is not plain:
        rest = rest[1:]
    a, b, m, n, k, *transposed = rest
    print(make(target, a, b, int(m), int(n), int(k), "true" if transposed else "false"))
