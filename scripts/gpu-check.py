#!/usr/bin/env python3
"""Our kernels on an NVIDIA GPU: results beside torch's, times beside those of real Triton's kernels made from the same TTIR, and
beside the least time that `tt-step limits` gives.

  gpu-check.py [KERNEL...]     vecadd softmax layernorm matmul flash_attention

Needs torch, Triton 3.6 (whose ptxas is used) and the driver (libcuda). Without a GPU, torch or Triton it says
so and exits 0; 1 means that a result is wrong, or that a kernel was faster than its bound by more than 2 %. GPUs newer than sm_89 get the PTX for sm_80, which the driver assembles, of both.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEWEST = 89


def leave(reason):
    print(f"gpu-check: {reason}: nothing to check")
    sys.exit(0)


try:
    import torch
except ImportError:
    leave("torch is not installed")
if not torch.cuda.is_available():
    leave("no CUDA GPU is at hand")
try:
    import triton
    from triton.backends.compiler import GPUTarget
except ImportError:
    leave("Triton is not installed")

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"CUDA driver: {text.value.decode() if text.value else status}")


class Kernel:
    """A function of a cubin, or of PTX that the driver assembles."""

    def __init__(self, image, name, num_warps, shared):
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), image))
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, name.encode()))
        self.threads, self.shared = 32 * num_warps, shared
        if shared > 48 * 1024:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(cuda.cuFuncSetAttribute(self.function, 8, shared))

    def bind(self, grid, args):
        """A launch of the kernel; the two scratch pointers that Triton appends are null here."""
        kinds = {int: ctypes.c_int32, float: ctypes.c_float}
        values = [ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else kinds[type(a)](a) for a in args]
        values += [ctypes.c_void_p(0), ctypes.c_void_p(0)]
        packed = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check(cuda.cuLaunchKernel(self.function, *grid, self.threads, 1, 1, self.shared, stream, packed, None))

        launch.values = values  # they must live as long as the addresses
        return launch


def microseconds(launch, repetitions=50):
    """The median of ten measurements of one launch."""
    for _ in range(10):
        launch()
    times = []
    for _ in range(10):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repetitions):
            launch()
        end.record()
        end.synchronize()
        times.append(1000 * start.elapsed_time(end) / repetitions)
    return sorted(times)[len(times) // 2]


PTXAS = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "ptxas")


def run(*argv):
    command = ["node", os.path.join(ROOT, "bin", "tt-step.js"), *argv]
    done = subprocess.run(command, capture_output=True, text=True, env={"TRITON_PTXAS_PATH": PTXAS, **os.environ})
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def kernels(name, function, capability):
    """Ours and real Triton's of fixtures/kernels/NAME.ttir."""
    target = min(capability, NEWEST) if capability <= NEWEST else 80
    ttir = os.path.join(ROOT, "fixtures", "kernels", f"{name}.ttir")
    stage = "cubin" if capability <= NEWEST else "ptx"
    with tempfile.TemporaryDirectory() as folder:
        # Triton's compiler assumes that make_ttir made a .ttir file; ours and Triton's make_ttir give the same IR.
        optimized = os.path.join(folder, "kernel.ttir")
        run(ttir, "--target", f"cuda:{target}", "--emit", "ttir", "-o", optimized)
        real = triton.compile(optimized, target=GPUTarget("cuda", target, 32))
        image = os.path.join(folder, f"kernel.{stage}")
        run(ttir, "--target", f"cuda:{target}", "--emit", stage, "-o", image)
        with open(image, "rb") as file:
            ours = file.read()
    theirs = real.asm[stage]
    theirs = theirs.encode() if isinstance(theirs, str) else theirs
    # Shared memory is Triton's: passes are the same up to it, and score.py compares it.
    settings = (function, real.metadata.num_warps, real.metadata.shared)
    return Kernel(ours + b"\0", *settings), Kernel(theirs + b"\0", *settings)


# Names of `--gpu` by what the driver calls the GPU; the first that fits.
PRODUCTS = {
    "H100 PCIe": "h100-pcie", "H100": "h100", "H200": "h200", "A100-SXM4-80GB": "a100", "A100": "a100-40gb", "L40S": "l40s",
    "RTX 4090": "rtx4090", "B200": "b200", "T4": "t4",
}


def limits(name, grid, args, capability):
    """What `tt-step limits` says of our kernel; None for a GPU that it has no record of."""
    product = next((p for part, p in PRODUCTS.items() if part in torch.cuda.get_device_name()), None)
    if product is None:
        return None
    target = capability if capability <= NEWEST else 80
    numbers = [w for i, a in enumerate(args) if isinstance(a, int) for w in ("--arg", f"{i}={a}")]
    ttir = os.path.join(ROOT, "fixtures", "kernels", f"{name}.ttir")
    size = ",".join(map(str, grid))
    return json.loads(run("limits", ttir, "--target", f"cuda:{target}", "--gpu", product, "--grid", size, "--json", *numbers))


def random(*shape, dtype=torch.float16):
    return torch.randn(shape, device="cuda", dtype=dtype)


# Each gives the kernel's name, the grid, the arguments, the tensors that it writes and what torch says they are.
def vecadd():
    n = 1 << 24
    a, b, c = random(n, dtype=torch.float32), random(n, dtype=torch.float32), torch.empty(n, device="cuda")
    return "vecadd", (n // 1024, 1, 1), [a, b, c, n], [(c, a + b)]


def softmax():
    rows, cols = 8192, 1000
    x = random(rows, 1008, dtype=torch.float32)
    y = torch.zeros_like(x)
    return "softmax", (rows, 1, 1), [x, y, 1008, cols], [(y[:, :cols], torch.softmax(x[:, :cols], 1))]


def layernorm():
    rows, cols = 4096, 4096
    x, w, b = random(rows, cols), random(cols, dtype=torch.float32), random(cols, dtype=torch.float32)
    y, mean, rstd = torch.empty_like(x), torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    expected = torch.nn.functional.layer_norm(x.float(), (cols,), w, b, 1e-5).half()
    return "lnf", (rows, 1, 1), [x, w, b, y, mean, rstd, cols, 1e-5], [(y, expected), (mean, x.float().mean(1))]


def matmul():
    m = n = k = 2048
    a, b, c = random(m, k), random(k, n), torch.empty(m, n, device="cuda", dtype=torch.float16)
    return "matmul", ((m // 64) * (n // 64), 1, 1), [a, b, c, m, n, k, k, n, n], [(c, a @ b)]


def flash_attention():
    batch, heads, length, dim = 4, 16, 2048, 64
    q, k, v = (random(batch, heads, length, dim) for _ in range(3))
    o, lse = torch.empty_like(q), torch.empty(batch * heads, length, device="cuda")
    strides = [heads * length * dim, length * dim, dim]
    args = [q, k, v, o, lse, dim**-0.5, heads, length, *strides]
    return "attn", (length // 128, batch * heads, 1), args, [(o, torch.nn.functional.scaled_dot_product_attention(q, k, v))]


ALL = {f.__name__: f for f in (vecadd, softmax, layernorm, matmul, flash_attention)}


def main(names):
    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"gpu-check: no kernel '{unknown[0]}'; there are {', '.join(ALL)}")
    torch.manual_seed(0)
    capability = int("".join(map(str, torch.cuda.get_device_capability())))
    print(f"{torch.cuda.get_device_name()}, sm_{capability}, Triton {triton.__version__}")
    print(f"{'kernel':16} {'ours us':>9} {'Triton us':>9} {'ratio':>6} {'error':>9} {'Triton':>9} {'bound us':>9} {'of it':>6}")
    wrong = False
    for name in names or ALL:
        function, grid, args, results = ALL[name]()
        row = []
        for kernel in kernels(name, function, capability):
            for tensor, _ in results:
                tensor.fill_(float("nan"))
            launch = kernel.bind(grid, args)
            launch()
            torch.cuda.synchronize()
            error = max(float((tensor.float() - expected.float()).abs().max()) for tensor, expected in results)
            good = all(torch.allclose(tensor.float(), expected.float(), rtol=1e-2, atol=1e-2) for tensor, expected in results)
            row.append((microseconds(launch), error, good))
        (ours, error, good), (theirs, their_error, _) = row
        found = limits(name, grid, args, capability)
        bound, note = "", ""
        if found is not None:
            least = 1e6 * found["time"]["from"]
            moved = sum(found["traffic"]["grid"].values())
            # Launches follow each other: what L2 holds of the last one need not come from DRAM again.
            held = found["binding"] == "DRAM" and moved < 4 * found["gpu"]["l2Bytes"]
            over = least / ours > 1.02 and not held
            bound = f" {least:9.1f} {least / ours:6.2f}"
            note = f"  {found['binding']}{'  OVER ITS BOUND' if over else ''}"
            wrong |= over
        print(
            f"{name:16} {ours:9.1f} {theirs:9.1f} {ours / theirs:6.2f} {error:9.1e} {their_error:9.1e}{bound}"
            f"{'' if good else '  WRONG'}{note}"
        )
        wrong |= not good
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
