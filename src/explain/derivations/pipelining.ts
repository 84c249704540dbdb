/** The schedule of a loop: stages and clusters as they were computed, the loop as iterations by stages; and after the pipeliner buffers and waits. */
import { ForOp } from "../../dialects/scf/ops/for.js";
import { DotOpInterface } from "../../dialects/tt/op-interfaces.js";
import { LoadOp } from "../../dialects/tt/ops/memory.js";
import { AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp } from "../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../dialects/ttg/ops/memdesc-views.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import { AsyncTMACopyGlobalToLocalOp } from "../../dialects/ttng/ops/tma.js";
import { intOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { isTMALoad } from "../../passes/nvidia/tma/tma-copies.js";
import { LATENCY, LOOP_CLUSTER, LOOP_STAGE } from "../../passes/ttg/software-pipelining/pipelined-loops.js";

/** A name for an op: `%41 tt.dot`. */
type NameOf = (op: Operation) => string;

/** Lines for a loop, and for a load, copy, wait or dot in one; none where nothing is scheduled or copied ahead. */
export function pipeliningLines(op: Operation, nameOf: NameOf): readonly string[] {
  const concerns = LoadOp.is(op) || isTMALoad(op) || AsyncWaitOp.is(op) || bufferOf(op) || op.def.interface(DotOpInterface);
  const loop = ForOp.is(op) ? op : concerns && op.parentOp && ForOp.is(op.parentOp) ? op.parentOp : undefined;
  if (!loop) return [];
  const body = [...loop.regions[0]!.firstBlock!.ops()];
  const scheduled = body.flatMap((at) => {
    const [stage, cluster] = [intOf(at.attr(LOOP_STAGE)), intOf(at.attr(LOOP_CLUSTER))];
    return stage === undefined ? [] : [{ op: at, stage, cluster: cluster ?? 0 }];
  });
  if (scheduled.length > 0) return scheduleLines(scheduled, nameOf);
  const latencies = body.flatMap((at) => {
    const latency = intOf(at.attr(LATENCY));
    return latency === undefined
      ? []
      : [`${nameOf(at)} has latency ${latency}: it starts ${latency} stage${latency === 1 ? "" : "s"} before its first use`];
  });
  return latencies.length > 0 ? latencies : bufferLines(loop, body, nameOf);
}

interface Scheduled {
  readonly op: Operation;
  readonly stage: number;
  readonly cluster: number;
}

function scheduleLines(scheduled: readonly Scheduled[], nameOf: NameOf): readonly string[] {
  const last = Math.max(...scheduled.map(({ stage }) => stage));
  const stages = Array.from({ length: last + 1 }, (_, stage) => scheduled.filter((at) => at.stage === stage));
  const rows = stages.map((ops, stage) => {
    const clusters = [...new Set(ops.map(({ cluster }) => cluster))].sort((a, b) => a - b);
    return `stage ${stage}${clusters.length === 0 ? ": nothing" : `, cluster ${clusters.join(" and ")}: ${ops.map(({ op }) => nameOf(op)).join(", ")}`}`;
  });
  return [
    ...rows,
    "a round of the loop does, by cluster, these stages of different iterations:",
    ...roundsDrawing(stages.map((ops) => (ops.length === 0 ? "" : shortest(ops.map(({ op }) => op.name))))),
  ];
}

/** The op that says most about a stage: a load or a dot, else the first. */
const shortest = (names: readonly string[]): string =>
  (names.find((name) => /dot|mma/.test(name)) ?? names.find((name) => /load|copy/.test(name)) ?? names[0]!).replace(/^\w+\./, "");

/** Iterations by rounds: iteration i does stage s in round i + s; the loop begins where all stages are at work. */
export function roundsDrawing(labels: readonly string[]): readonly string[] {
  const width = Math.max(6, ...labels.map((label) => label.length)) + 2;
  const iterations = labels.length + 1;
  const rounds = iterations + labels.length - 1;
  const row = (head: string, cells: readonly string[]) => `${head.padEnd(13)}${cells.map((cell) => cell.padEnd(width)).join("")}`.trimEnd();
  const before = labels.length - 1;
  return [
    row(
      "round",
      Array.from({ length: rounds }, (_, t) => (t < before ? "before" : t < iterations ? "loop" : "after")),
    ),
    ...Array.from({ length: iterations }, (_, i) =>
      row(
        `iteration ${i}`,
        Array.from({ length: rounds }, (_, t) => (t < i || t >= i + labels.length ? "" : labels[t - i] || "·")),
      ),
    ),
  ];
}

/** After the pipeliner: rings of buffers, how far ahead copies are sent, and what is waited for. */
function bufferLines(loop: Operation, body: readonly Operation[], nameOf: NameOf): readonly string[] {
  const copies = body.filter((at) => bufferOf(at) !== undefined);
  if (copies.length === 0) return [];
  const before = [...loop.block!.ops()].filter((at) => bufferOf(at) !== undefined && at.isBeforeInBlock(loop));
  let ahead = 0;
  const lines = copies.map((copy) => {
    const buffer = bufferOf(copy)!;
    const count = (buffer.type as { params: { shape: readonly number[] } }).params.shape[0]!;
    const started = before.filter((at) => bufferOf(at) === buffer).length;
    ahead = Math.max(ahead, started);
    return `${nameOf(copy)} to ${nameOf(buffer.definingOp!)}: a ring of ${count} buffer${count === 1 ? "" : "s"}, ${started} filled before the loop; round i reads buffer i mod ${count} and fills buffer (i + ${started}) mod ${count}`;
  });
  const waits = body.flatMap((at) => {
    const wait = AsyncWaitOp.match(at);
    if (!wait) return [];
    return [
      `${nameOf(at)} waits until at most ${wait.num} groups of copies are under way: those of later iterations, ${copies.length} each`,
    ];
  });
  return [...lines, ...waits, ...roundsDrawing(["copy", ...Array.from({ length: Math.max(0, ahead - 1) }, () => ""), "wait, use"])];
}

/** The ring of buffers that a copy writes to one of; undefined for other ops. */
function bufferOf(op: Operation): Value | undefined {
  if (!AsyncCopyGlobalToLocalOp.is(op) && !AsyncTMACopyGlobalToLocalOp.is(op)) return undefined;
  for (const { value } of op.operandUses) {
    const index = value.definingOp && MemDescIndexOp.match(value.definingOp);
    const ring = index?.src;
    if (
      ring?.definingOp &&
      LocalAllocOp.is(ring.definingOp) &&
      MemDescType.is(ring.type) &&
      MemDescType.is(value.type) &&
      value.type.params.shape.length > 1
    )
      return ring;
  }
  return undefined;
}
