/**
 * Cuts the bodies of pipelined matmul loops into clusters, memory accesses and matrix instructions in turn, with barriers between. One of
 * the two warps on a SIMD unit is then in a memory cluster while the other one multiplies.
 *
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/BlockPingpong.cpp.
 */
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { bitWidth, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass, type PassReport } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { chainedClusters, copiesFirst, fourClusters, oneCluster, readsFirst, startInTurn, twoClusters } from "./clusters.js";
import { countPerRound, isPersistentMatmul, type LoopOps, memoryOpsOf, opsOf } from "./loop-ops.js";

export const blockPingpong = definePass("tritonamdgpu-block-pingpong", {
  name: "TritonAMDGPUBlockPingpong",
  summary: "Interleaving instructions from two warps on the same SIMD to better utilize matrix core",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/BlockPingpong.cpp",
  options: { numStages: option.int({ default: 2, text: "num-stages", summary: "stages of the pipelined loops" }) },
  statistics: { scheduled: "loops cut into clusters" },
  run(root, { options, listener, report, count, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    for (const loop of forLoops(root)) {
      const { op } = loop;
      const ops = opsOf(loop);
      if (ops.dots.length + ops.scaledDots.length === 0) continue;
      const result = rw.from(op, () => schedule(rw, loop, ops, options.numStages, report));
      if ("reason" in result) {
        const message = `the warps of {0} do not take turns at matrix instructions: ${result.reason}`;
        explain?.(op, "pingpong.declined", { kind: "missed", message, fields: { reason: result.reason } });
      } else {
        count("scheduled");
        explain?.(op, "pingpong.loop", { kind: "applied", message: `{0} is cut into clusters: ${result.clusters}` });
      }
    }
  },
});

type Outcome = { readonly clusters: string } | { readonly reason: string };
const no = (reason: string): Outcome => ({ reason });

/** The size of a dot, m * n * k in bits of the operands: 32x128x64, 128x128x64, 256x128x64 and 256x256x64 of 16 bits. */
const TILE = { least: 2 ** 18, small: 2 ** 24, medium: 2 ** 25, large: 2 ** 26 };

function schedule(rw: Rewriter, loop: ForView, ops: LoopOps, numStages: number, report: PassReport): Outcome {
  const { dots, scaledDots, copies, loads, localLoads, waits, commits } = ops;
  const numWarps = lookupNumWarps(loop.op);
  const numDots = dots.length + scaledDots.length;
  if (numStages <= 1) return no("num_stages is 1, and only pipelined loops gain by it");
  if (numDots > 2) return no(`it has ${numDots} dots, and at most 2 are scheduled`);
  if (numDots === 2) {
    if (numStages !== 4) return no("it has two dots, which are scheduled with num_stages = 4 only");
    if (dots.length !== 2) {
      report.crash(loop.op, "a loop of two dots has a scaled one");
      return no("one of its two dots is scaled");
    }
    const reason = chainedClusters(rw, loop, [dots[0]!, dots[1]!]);
    if (reason !== undefined) return no(reason);
    startInTurn(rw, loop);
    return { clusters: "two of memory accesses, each after one of the two dots" };
  }
  const isAsync = copies.length > 0;
  const numLoads = isAsync ? copies.length : loads.length;
  if (numLoads < 2 || localLoads.length < 2)
    return no(`it has ${numLoads} global loads and ${localLoads.length} loads of pipelined buffers, and takes two of each`);
  /** Whether the asynchronous ops that a schedule moves are there; real Triton takes it for granted. */
  const hasAsyncOps = (numCommits: number): boolean => {
    if (waits.length > 0 && commits.length >= numCommits) return true;
    report.crash(loop.op, "a loop with asynchronous copies has no wait for them, or not a group for each");
    return false;
  };
  const [scaled] = scaledDots;
  if (scaled) {
    const a = (scaled.operand(0).type as TensorType).params;
    const [m, n] = (scaled.result(0).type as TensorType).params.shape;
    const fits = numWarps === 8 && numStages === 2 && isAsync && m === 256 && n === 256 && bitWidth(a.elementType) === 8;
    if (!fits || !hasAsyncOps(0))
      return no("a scaled dot is scheduled with 8 warps, 2 stages and asynchronous copies for 256x256 of fp8 only");
    copiesFirst(rw, scaled, ops);
    startInTurn(rw, loop);
    return { clusters: "asynchronous copies, and all else" };
  }
  return scheduleDot(rw, loop, ops, numStages, numWarps, hasAsyncOps, report);
}

function scheduleDot(
  rw: Rewriter,
  loop: ForView,
  ops: LoopOps,
  numStages: number,
  numWarps: number,
  hasAsyncOps: (numCommits: number) => boolean,
  report: PassReport,
): Outcome {
  const dot = ops.dots[0]!;
  const thenIsRare = isPersistentMatmul(loop);
  const { elementType, shape: shapeA, encoding } = (dot.operand(0).type as TensorType).params;
  const [m = 0, n = 0] = (dot.result(0).type as TensorType).params.shape;
  const bits = bitWidth(elementType)!;
  if (ops.copies.length > 0) {
    if (numWarps !== 8) return no(`asynchronous copies are scheduled with 8 warps, not ${numWarps}`);
    if (numStages > 2 && m > 64 && n > 64 && (bits === 16 || bits === 8)) {
      if (!hasAsyncOps(2)) return no("it does not wait for its asynchronous copies");
      readsFirst(rw, loop, ops);
      startInTurn(rw, loop);
      return { clusters: "reads of shared memory, and all else" };
    }
  }
  const own = memoryOpsOf(dot);
  const chosen = {} as Record<"loads" | "localLoads" | "localStores", readonly Operation[]>;
  for (const [kind, what] of [
    ["loads", "global loads"],
    ["localLoads", "loads of shared memory"],
    ["localStores", "stores to shared memory"],
  ] as const) {
    const isOwn = new Set(own[kind]);
    chosen[kind] = ops[kind].filter((op) => isOwn.has(op));
    const others = ops[kind].filter((op) => !isOwn.has(op));
    if (countPerRound(others, loop.op, thenIsRare) !== 0) return no(`it has other ${what} than those of its dot`);
  }
  const [load0, load1, ...moreLoads] = chosen.loads;
  const [read0, read1, ...moreReads] = chosen.localLoads;
  if (!load0 || !load1 || !read0 || !read1 || moreLoads.length > 0 || moreReads.length > 0)
    return no(`its dot has ${chosen.loads.length} global loads and ${chosen.localLoads.length} loads of shared memory, not two of each`);
  const matmul = { dot, loads: [load0, load1], localLoads: [read0, read1] } as const;
  const size = m * n * shapeA[1]! * bits;
  const tile = `a dot of ${m}x${n}x${shapeA[1]} of ${bits} bits`;
  if (numWarps === 4) {
    if (size < TILE.least || size > TILE.small) return no(`${tile} is too ${size < TILE.least ? "small" : "large"} for 4 warps`);
    oneCluster(rw, loop, matmul);
    report.remark(dot, "Performed one ping pong cluster transformation");
    return { clusters: "one of memory accesses and one of matrix instructions, whose warp has priority" };
  }
  if (numWarps !== 8 || numStages !== 2) return no(`it takes 4 warps, or 8 warps and 2 stages, not ${numWarps} and ${numStages}`);
  const [store0, store1, ...moreStores] = chosen.localStores;
  if (!store0 || !store1 || moreStores.length > 0) return no(`its dot has ${chosen.localStores.length} stores to shared memory, not 2`);
  if (size < TILE.large && size !== TILE.medium) return no(`${tile} is too small for 8 warps`);
  const operand = encodingParams(encoding);
  const mfma = operand?.kind === "dot_op" && operand.parent.kind === "amd_mfma" ? operand.parent.instrShape.join("x") : "";
  if (size >= TILE.large && operand?.kind === "dot_op" && operand.kWidth === 8 && mfma.startsWith("16x16x"))
    return no("with 16x16 instructions and kWidth 8 a tile of that size is known to spill registers");
  const isMedium = size === TILE.medium;
  const count = isMedium ? "two" : "four";
  const first = (isMedium ? twoClusters : fourClusters)(rw, matmul, [store0, store1]);
  if (typeof first === "string") return no(first);
  report.remark(first, `Performed ${count} ping pong cluster transformation`);
  startInTurn(rw, loop);
  return { clusters: `${count} of memory accesses and ${count} of matrix instructions, which half of the warps begin later` };
}
