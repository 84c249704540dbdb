#!/usr/bin/env python3
"""Our kernels on an NVIDIA GPU: results beside torch's, times beside those of real Triton's kernels made from the same TTIR, and
beside the least time that `tt-step limits` gives.

  gpu-check.py [KERNEL...]     vecadd softmax layernorm matmul flash_attention, each in four sizes
  gpu-check.py --sweep         configurations of a matmul: the order of `tt-step limits --sweep` beside that of measured times
  gpu-check.py --dry-run ...   the same without a GPU: everything is compiled and bounded, for --gpu (h100), and nothing is launched

Needs Triton 3.6 (whose ptxas is used), and but for a dry run torch and the driver (libcuda). Without a GPU, torch or Triton it says
so and exits 0; 1 means that a result is wrong, or that a kernel was faster than its bound by more than 2 %.
"""
import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def leave(reason):
    print(f"gpu-check: {reason}: nothing to check")
    sys.exit(0)


options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("kernels", nargs="*", metavar="KERNEL")
options.add_argument("--sweep", action="store_true")
options.add_argument("--dry-run", action="store_true")
options.add_argument("--gpu", default="h100", help="whose bounds a dry run gives")
options = options.parse_args()

try:
    import triton
    from triton.backends.compiler import GPUTarget
except ImportError:
    leave("Triton is not installed")
if not options.dry_run:
    try:
        import torch
    except ImportError:
        leave("torch is not installed")
    if not torch.cuda.is_available():
        leave("no CUDA GPU is at hand")
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


TOOLS = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin")


def run(*argv, capability=80):
    command = ["node", os.path.join(ROOT, "bin", "tt-step.js"), *argv]
    ptxas = os.path.join(TOOLS, "ptxas-blackwell" if capability >= 100 else "ptxas")
    done = subprocess.run(command, capture_output=True, text=True, env={"TRITON_PTXAS_PATH": ptxas, **os.environ})
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def read(path):
    with open(path, "rb") as file:
        return file.read()


def kernels(name, function, capability):
    """Ours and real Triton's of fixtures/kernels/NAME.ttir: cubins, the number of warps, and bytes of shared memory."""
    target = ("--target", f"cuda:{capability}")
    ttir = os.path.join(ROOT, "fixtures", "kernels", f"{name}.ttir")
    with tempfile.TemporaryDirectory() as folder:
        # Triton's compiler takes a .ttir file to be behind make_ttir, whose IR is the same from both.
        optimized = os.path.join(folder, "kernel.ttir")
        run(ttir, *target, "--emit", "ttir", "-o", optimized)
        real = triton.compile(optimized, target=GPUTarget("cuda", capability, 32))
        image = os.path.join(folder, "kernel.cubin")
        run(ttir, *target, "--emit", "cubin", "-o", image, capability=capability)
        # Shared memory is Triton's: passes are the same up to it, and score.py compares it.
        return [(code, function, real.metadata.num_warps, real.metadata.shared) for code in (read(image), real.asm["cubin"])]


# Names of `--gpu` by what the driver calls the GPU; the first that fits.
PRODUCTS = {
    "H100 PCIe": "h100-pcie", "H100": "h100", "H200": "h200", "A100-SXM4-80GB": "a100", "A100": "a100-40gb", "L40S": "l40s",
    "RTX 4090": "rtx4090", "B200": "b200", "T4": "t4",
}
# The capability of each product, for a dry run.
CAPABILITIES = {"t4": 75, "a100": 80, "a100-40gb": 80, "l40s": 89, "rtx4090": 89, "h100": 90, "h100-pcie": 90, "h200": 90, "b200": 100}


def product():
    """The GPU's name for `--gpu`; None for a GPU that `tt-step limits` has no record of."""
    if options.dry_run:
        return options.gpu
    return next((p for part, p in PRODUCTS.items() if part in torch.cuda.get_device_name()), None)


def limits(name, grid, args, capability):
    """What `tt-step limits` says of our kernel; None for a GPU that it has no record of."""
    if product() is None:
        return None
    numbers = [w for i, a in enumerate(args) if isinstance(a, int) for w in ("--arg", f"{i}={a}")]
    ttir = os.path.join(ROOT, "fixtures", "kernels", f"{name}.ttir")
    size = ",".join(map(str, grid))
    argv = ("limits", ttir, "--target", f"cuda:{capability}", "--gpu", product(), "--grid", size, "--json", *numbers)
    return json.loads(run(*argv, capability=capability))


class Array:
    """A tensor's place in a dry run."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def __getitem__(self, at):
        return self

    def __add__(self, other):
        return self

    __matmul__ = __add__


if options.dry_run:

    class torch:
        """As much of torch as the cases below call, which computes nothing."""

        float16, float32 = "f16", "f32"
        randn = empty = empty_like = zeros_like = softmax = staticmethod(lambda *args, **kwargs: Array())

        class nn:
            class functional:
                layer_norm = scaled_dot_product_attention = staticmethod(lambda *args, **kwargs: Array())


def random(*shape, dtype=torch.float16):
    return torch.randn(shape, device="cuda", dtype=dtype)


# Each gives the kernel's name, the grid, the arguments, the tensors that it writes and what torch says they are. `scale` is 1, 2, 3 or 4.
def vecadd(scale):
    n = 1 << (20 + 2 * scale)
    a, b, c = random(n, dtype=torch.float32), random(n, dtype=torch.float32), torch.empty(n, device="cuda")
    return "vecadd", (n // 1024, 1, 1), [a, b, c, n], [(c, a + b)]


def softmax(scale):
    rows, cols = 4096 << scale, 1024 - 24 * scale
    x = random(rows, 1024, dtype=torch.float32)
    y = torch.zeros_like(x)
    return "softmax", (rows, 1, 1), [x, y, 1024, cols], [(y[:, :cols], torch.softmax(x[:, :cols], 1))]


def layernorm(scale):
    rows, cols = 4096, 2048 * scale
    x, w, b = random(rows, cols), random(cols, dtype=torch.float32), random(cols, dtype=torch.float32)
    y, mean, rstd = torch.empty_like(x), torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
    expected = torch.nn.functional.layer_norm(x.float(), (cols,), w, b, 1e-5).half()
    return "lnf", (rows, 1, 1), [x, w, b, y, mean, rstd, cols, 1e-5], [(y, expected), (mean, x.float().mean(1))]


def matmul(scale):
    m = n = k = 1024 * scale
    a, b, c = random(m, k), random(k, n), torch.empty(m, n, device="cuda", dtype=torch.float16)
    return "matmul", ((m // 64) * (n // 64), 1, 1), [a, b, c, m, n, k, k, n, n], [(c, a @ b)]


def flash_attention(scale):
    batch, heads, length, dim = 4, 16, 1024 * scale, 64
    q, k, v = (random(batch, heads, length, dim) for _ in range(3))
    o, lse = torch.empty_like(q), torch.empty(batch * heads, length, device="cuda")
    strides = [heads * length * dim, length * dim, dim]
    args = [q, k, v, o, lse, dim**-0.5, heads, length, *strides]
    return "attn", (length // 128, batch * heads, 1), args, [(o, torch.nn.functional.scaled_dot_product_attention(q, k, v))]


ALL = {f.__name__: f for f in (vecadd, softmax, layernorm, matmul, flash_attention)}


def check_kernels(names, capability):
    print(f"{'kernel':18} {'ours us':>9} {'Triton us':>9} {'ratio':>6} {'error':>9} {'Triton':>9} {'bound us':>9} {'of it':>6}")
    wrong = False
    for name in names or ALL:
        images = None
        for scale in (1, 2, 3, 4):
            function, grid, args, results = ALL[name](scale)
            images = images or kernels(name, function, capability)
            found = limits(name, grid, args, capability)
            least = 1e6 * found["time"]["from"] if found else 0
            if options.dry_run:
                print(f"{name:16} {scale} {'-':>9} {'-':>9} {'-':>6} {'-':>9} {'-':>9} {least:9.1f} {'-':>6}  {found['binding']}")
                continue
            row = []
            for image in images:
                for tensor, _ in results:
                    tensor.fill_(float("nan"))
                launch = Kernel(*image).bind(grid, args)
                launch()
                torch.cuda.synchronize()
                error = max(float((tensor.float() - expected.float()).abs().max()) for tensor, expected in results)
                good = all(torch.allclose(tensor.float(), expected.float(), rtol=1e-2, atol=1e-2) for tensor, expected in results)
                row.append((microseconds(launch), error, good))
            (ours, error, good), (theirs, their_error, _) = row
            bound, note = "", ""
            if found is not None:
                moved = sum(found["traffic"]["grid"].values())
                # Launches follow each other: what L2 holds of the last one need not come from DRAM again.
                held = found["binding"] == "DRAM" and moved < 4 * found["gpu"]["l2Bytes"]
                over = least / ours > 1.02 and not held
                bound = f" {least:9.1f} {least / ours:6.2f}"
                note = f"  {found['binding']}{', in L2' if held else ''}{'  OVER ITS BOUND' if over else ''}"
                wrong |= over
            print(
                f"{name:16} {scale} {ours:9.1f} {theirs:9.1f} {ours / theirs:6.2f} {error:9.1e} {their_error:9.1e}{bound}"
                f"{'' if good else '  WRONG'}{note}"
            )
            wrong |= not good
    return wrong


AXES = {"BM": (64, 128, 256), "BN": (64, 128, 256), "BK": (32, 64), "num_warps": (4, 8), "num_stages": (2, 3, 4)}
SIZE = 4096


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2  # equal values share a rank
        i = j + 1
    return out


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    deviations = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return covariance / deviations**0.5 if deviations > 0 else float("nan")


def check_sweep(capability):
    """Measures every configuration of a matmul that has a bound, and the rank correlation of bounds and times."""
    if product() is None:
        leave("`tt-step limits` has no record of this GPU")
    path = os.path.join(ROOT, "fixtures", "frontend", "kernels", "matmul_f16_128x128x32_w4.py")
    types = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1"
    target = ("--target", f"cuda:{capability}")
    numbers = [w for name in ("M", "N", "K", "sam", "sbk", "scm") for w in ("--arg", f"{name}={SIZE}")]
    axes = [w for name, values in AXES.items() for w in ("--sweep", f"{name}={','.join(map(str, values))}")]
    if options.dry_run:
        axes = ["--sweep", "BM=64,128", "--sweep", "num_warps=4,8"]
    first = ("--signature", f"{types}, 128, 128, 32, 8", *target)
    launch = ("--gpu", product(), "--grid", "cdiv(M, BM) * cdiv(N, BN)", "--json")
    ranked = json.loads(run("limits", path, *first, *launch, *numbers, *axes, capability=capability))
    bounds, times = [], []
    a, b = random(SIZE, SIZE), random(SIZE, SIZE)
    c, expected = torch.empty(SIZE, SIZE, device="cuda", dtype=torch.float16), a @ b
    wrong = False
    for entry in ranked:
        kwargs = {"BM": 128, "BN": 128, "BK": 32, **entry["kwargs"]}
        text = " ".join(f"{k}={v}" for k, v in {**kwargs, **{k: entry[k] for k in ("num_warps", "num_stages") if k in entry}}.items())
        if "refused" in entry:
            print(f"{text:48} {entry['refused']}")
            continue
        least = 1e6 * entry["bound"]
        if options.dry_run:
            print(f"{text:48} {least:9.1f} us at least, {entry['binding']}")
            continue
        constants = ", ".join(str(kwargs[name]) for name in ("BM", "BN", "BK"))
        settings = [w for k in ("num_warps", "num_stages") if k in entry for w in (f"--{k.replace('_', '-')}", str(entry[k]))]
        with tempfile.TemporaryDirectory() as folder:
            image = os.path.join(folder, "kernel.cubin")
            argv = (path, "--signature", f"{types}, {constants}, 8", *target, *settings, "--emit", "cubin", "-o", image)
            try:
                run(*argv, capability=capability)
                kernel = Kernel(read(image), "matmul", entry.get("num_warps", 4), entry["sharedBytes"])
            except RuntimeError as error:
                print(f"{text:48} {error}")
                continue
        bound = kernel.bind((entry["grid"][0], 1, 1), [a, b, c, SIZE, SIZE, SIZE, SIZE, SIZE, SIZE])
        c.fill_(float("nan"))
        bound()
        torch.cuda.synchronize()
        good = torch.allclose(c.float(), expected.float(), rtol=1e-2, atol=1e-1)
        time = microseconds(bound, 10)
        over = least / time > 1.02
        wrong |= over or not good
        bounds.append(least)
        times.append(time)
        print(f"{text:48} {time:9.1f} us, {least:9.1f} at least, {least / time:5.2f}{'' if good else '  WRONG'}{'  OVER ITS BOUND' if over else ''}")
    if times:
        best = times.index(min(times))
        print(
            f"{len(times)} configurations: rank correlation of bounds and times {spearman(bounds, times):.2f}; the fastest is number "
            f"{1 + sorted(bounds).index(bounds[best])} by its bound; the first by its bound takes {times[bounds.index(min(bounds))] / min(times):.2f} times as long"
        )
    return wrong


def main():
    unknown = [name for name in options.kernels if name not in ALL]
    if unknown:
        sys.exit(f"gpu-check: no kernel '{unknown[0]}'; there are {', '.join(ALL)}")
    if options.dry_run:
        if options.gpu not in CAPABILITIES:
            sys.exit(f"gpu-check: no GPU '{options.gpu}'; there are {', '.join(CAPABILITIES)}")
        capability = CAPABILITIES[options.gpu]
        print(f"a dry run for {options.gpu}, sm_{capability}, Triton {triton.__version__}: nothing is launched")
    else:
        torch.manual_seed(0)
        capability = int("".join(map(str, torch.cuda.get_device_capability())))
        print(f"{torch.cuda.get_device_name()}, sm_{capability}, Triton {triton.__version__}")
    sys.exit(1 if (check_sweep(capability) if options.sweep else check_kernels(options.kernels, capability)) else 0)


if __name__ == "__main__":
    main()
