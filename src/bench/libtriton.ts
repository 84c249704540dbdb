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
