/** A Python program that times libtriton's parser (which verifies) and printer on a file: medians in milliseconds, as JSON. */
export const LIBTRITON_BENCH = `
import json, statistics, sys, time
from triton._C.libtriton import ir, nvidia
parse, show = [], []
for _ in range(5):
    ctx = ir.context(); ir.load_dialects(ctx); nvidia.load_dialects(ctx)
    t = time.perf_counter()
    m = ir.parse_mlir_module(sys.argv[1], ctx)
    parse.append(time.perf_counter() - t)
    m.context = ctx
    t = time.perf_counter()
    m.str_nodebug()
    show.append(time.perf_counter() - t)
print(json.dumps({"parse": statistics.median(parse) * 1000, "print": statistics.median(show) * 1000}))
`;

/** Times stages on files of one target: for each the first run and the median of warm ones, as JSON. */
const timed = (stages: string): string => `
import json, statistics, sys, time
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton._C.libtriton import ir, llvm
given = json.loads(sys.argv[1])
kind, arch = given["target"].split(":")
if kind == "cuda": arch = int(arch)
backend = make_backend(GPUTarget(kind, arch, 64 if arch in ("gfx942", "gfx950", "gfx90a") else 32))
class Done(Exception): pass
def stop(module, *rest):
    str(module)
    raise Done
# The text is that of before LLVM's optimizations, after which nothing is compared.
if kind == "hip": llvm.optimize_module = stop
def run(stages, module, options):
    metadata = {}
    try:
        for stage in stages: module = stage(module, metadata, options, *([arch] if kind == "cuda" else []))
    except Done: pass
out = []
for job in given["list"]:
    options = backend.parse_options(dict(num_warps=job["numWarps"], num_stages=job["numStages"]))
    times = []
    for _ in range(given["runs"]):
        ctx = ir.context(); ir.load_dialects(ctx); backend.load_dialects(ctx)
        module = ir.parse_mlir_module(job["file"], ctx); module.context = ctx
        t = time.thread_time()
        run(${stages}, module, options)
        times.append((time.thread_time() - t) * 1000)
    out.append({"cold": times[0], "warm": statistics.median(times[given["warmFrom"]:])})
print(json.dumps(out))
`;
/** `make_ttir` and `make_ttgir`. */
export const LIBTRITON_PASSES = timed("(backend.make_ttir, backend.make_ttgir)");
/** `make_llir` and `make_ptx`; for AMD `make_llir` up to the text that LLVM optimizes. */
export const LIBTRITON_LOWERING = timed('(backend.make_llir, backend.make_ptx) if kind == "cuda" else (backend.make_llir,)');

/** A whole compilation of a TTIR file, as a user's program asks for it: to the cubin, as Triton leaves none out. */
export const TRITON_COMPILE = `
import sys, triton
from triton.backends.compiler import GPUTarget
file, target, warps, stages = sys.argv[1:]
triton.compile(file, target=GPUTarget("cuda", int(target.removeprefix("cuda:")), 32), options=dict(num_warps=int(warps), num_stages=int(stages)))
`;
