/**
 * The block sizes and warps with which Inductor tunes a kernel, in its order: as `torch/_inductor/runtime/triton_heuristics.py` makes them
 * on NVIDIA's GPUs. Rules that changed are those of torch 2.8 and later where the metadata has what these write (`tiling_scores`, `deterministic`), else
 * those of torch 2.7.
 */
import type { KernelConfig } from "./request.js";

/** A literal of the metadata. Keys of dicts are texts; calls are dicts of their arguments, names their last part. */
export type Literal = number | string | boolean | null | readonly Literal[] | ReadonlyMap<string, Literal>;
type Meta = ReadonlyMap<string, Literal>;
type Blocks = Readonly<Record<string, number>>;

const MAX_BLOCK: Blocks = { x: 4096, y: 1024, z: 1024, r0_: 65536, r1_: 32768 };
/** Threads of a launch along x. */
const MAX_THREADS_X = 2 ** 31 - 1;

const nextPowerOf2 = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, n)));
const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);
const isReduction = (axis: string): boolean => axis.startsWith("r");

/** The candidates of a decorator by its name and keywords; none where it is not known. */
export function inductorConfigs(kind: string, given: Meta): readonly KernelConfig[] {
  const metaOf = (name: string): Meta => {
    const value = given.get(name);
    return value instanceof Map ? value : new Map();
  };
  const inductor = metaOf("inductor_meta");
  const hints = Object.fromEntries([...metaOf("size_hints")].filter((hint): hint is [string, number] => typeof hint[1] === "number"));
  if (inductor.get("no_x_dim") === true) hints["x"] = 1;
  const isTuned = inductor.get("max_autotune") === true || inductor.get("max_autotune_pointwise") === true;
  const kernel: Kernel = {
    hints,
    inductor,
    hint: given.get("reduction_hint"),
    isTuned,
    isNew: inductor.has("tiling_scores") || inductor.has("deterministic"),
    dynamic: [...((metaOf("triton_meta").get("signature") as Meta | undefined)?.keys() ?? [])].filter((name) => name.includes("ks")).length,
  };
  switch (kind) {
    case "pointwise":
      return unique(pointwise(kernel, given.get("tile_hint") === "SQUARE", numberOf(given, "min_elem_per_thread")));
    case "reduction":
      return unique(reduction(kernel));
    case "persistent_reduction":
      return unique(persistent(kernel));
    case "split_scan": {
      const least = numberOf(inductor, "min_split_scan_rblock") || 256;
      return unique(
        reduction(kernel).map((c) => ({ ...c, blocks: mapBlocks(c.blocks, (axis, n) => (isReduction(axis) ? Math.max(n, least) : n)) })),
      );
    }
    case "cooperative_reduction": {
      const split = Math.max(1, Math.min(Math.floor(64 / (hints["x"] ?? 1)), 64));
      const part: Kernel = { ...kernel, hints: { ...hints, r0_: Math.floor((hints["r0_"] ?? 1) / split) } };
      const made = inductor.get("persistent_reduction") === true ? persistent(part) : reduction(part);
      return unique(made).map((c) => ({ ...c, constants: new Map([...c.constants, ["RSPLIT", String(split)]]) }));
    }
    case "foreach":
      return (isTuned ? [1, 2, 4, 8] : [8]).map((numWarps) => config(new Map(), numWarps, 1));
    case "template":
      return [config(new Map(), numberOf(given, "num_warps") || 4, numberOf(given, "num_stages") || 3)];
    case "fixed_config":
      return [ofDict(metaOf("config"))];
    case "user_autotune": {
      const all = given.get("configs");
      return Array.isArray(all) ? (all as readonly Literal[]).map((c) => ofDict(c instanceof Map ? c : new Map())) : [];
    }
    default:
      return [];
  }
}

interface Kernel {
  /** Elements along each axis, rounded up to powers of 2. */
  readonly hints: Blocks;
  readonly inductor: Meta;
  readonly hint: Literal | undefined;
  readonly isTuned: boolean;
  /** Written by torch 2.8 or later. */
  readonly isNew: boolean;
  /** Sizes that are arguments. */
  readonly dynamic: number;
}
interface Candidate {
  readonly blocks: Blocks;
  readonly numWarps: number;
}

const numberOf = (meta: Meta, name: string): number => {
  const value = meta.get(name);
  return typeof value === "number" ? value : 0;
};
const mapBlocks = (blocks: Blocks, change: (axis: string, n: number) => number): Blocks =>
  Object.fromEntries(Object.entries(blocks).map(([axis, n]) => [axis, change(axis, n)]));

function config(constants: ReadonlyMap<string, string>, numWarps: number, numStages: number): KernelConfig {
  return { constants, numWarps, numStages, numCtas: undefined, maxnreg: undefined };
}

function ofDict(all: Meta): KernelConfig {
  const known = ["num_warps", "num_stages", "num_ctas", "maxnreg"];
  const constants = [...all].flatMap(([name, value]) => (known.includes(name) ? [] : [[name, pythonText(value)] as const]));
  return { ...config(new Map(constants), numberOf(all, "num_warps") || 4, numberOf(all, "num_stages") || 3) };
}
const pythonText = (value: Literal): string =>
  value === true ? "True" : value === false ? "False" : typeof value === "string" ? JSON.stringify(value) : String(value);

/** Candidates as configurations, each once. */
function unique(candidates: readonly Candidate[]): readonly KernelConfig[] {
  const made = candidates.map(({ blocks, numWarps }) => {
    const constants = Object.entries(blocks).map(([axis, n]) => [`${axis.toUpperCase()}BLOCK`, String(n)] as const);
    return config(new Map(constants), numWarps, 1);
  });
  const keys = made.map((c) => JSON.stringify([...c.constants, c.numWarps]));
  return made.filter((_, i) => keys.indexOf(keys[i]!) === i);
}

/** A power of 2. `isIntensive`: the kernel needs many registers. */
function warps(wanted: number, { most = 8, least = 2, isIntensive = false } = {}): number {
  return nextPowerOf2(Math.min(Math.max(wanted, least), isIntensive ? Math.floor(most / 2) : most));
}

/** A larger block along x where a launch would have too many threads. */
function withinGrid(hint: number, x: number, numWarps: number): number {
  let count = Math.ceil(hint / x);
  let block = x;
  while (count * numWarps * 32 > MAX_THREADS_X && block < hint) {
    block *= 2;
    count = Math.floor(count / 2);
  }
  return block;
}

// --- elementwise -----------------------------------------------------------------------------------

function pointwise({ hints, inductor, isTuned }: Kernel, isSquare: boolean, minPerThread: number): readonly Candidate[] {
  const size = Math.max(256, Math.min(Math.floor(product(Object.values(hints)) / 128), 1024));
  const tile = (blocks: readonly number[], perWarp = 256): Candidate => elementwise(hints, blocks, perWarp, minPerThread);
  const isFixed = inductor.get("autotune_pointwise") === false;
  const asked = inductor.get("autotune_hints");
  const hasHint = Array.isArray(asked) && (asked as readonly Literal[]).some((hint) => String(hint).includes("ONE_ELEMENT_PER_THREAD"));
  const dims = Object.keys(hints).length;
  const alone = (n: number): number[][] =>
    Array.from({ length: dims }, (_, i) => Array.from({ length: dims }, (_, k) => (k === i ? n : 1)));
  const hinted = hasHint ? alone(Math.floor(size / 4)).map((blocks) => tile(blocks, 32)) : [];
  switch (dims) {
    case 1:
      return isFixed && !isTuned ? [tile([size])] : [tile([size]), tile([size / 2], 64), ...hinted];
    case 2: {
      if ((isFixed || isSquare) && !isTuned) return [tile([32, 32])];
      return [[32, 32], [64, 64], [256, 16], [16, 256], ...alone(size)].map((blocks) => tile(blocks)).concat(hinted);
    }
    case 3:
      if (isFixed) return [tile([16, 16, 16])];
      return [[16, 16, 16], [64, 8, 8], [8, 64, 8], [8, 8, 64], ...alone(size)].map((blocks) => tile(blocks)).concat(hinted);
    default:
      return [];
  }
}

/** A tile of x, y and z, cut to the sizes and enlarged where a block before the cut would do more. */
function elementwise(hints: Blocks, wanted: readonly number[], perWarp: number, minPerThread: number): Candidate {
  const axes = ["x", "y", "z"].slice(0, wanted.length);
  let target = product(wanted);
  if (product(Object.values(hints)) < target) target = Math.floor(target / 8);
  const blocks = new Map(axes.map((axis, i) => [axis, Math.min(wanted[i]!, hints[axis] ?? 1)]));
  const total = (): number => product([...blocks.values()]);
  for (const axis of axes) {
    const hint = hints[axis] ?? 1;
    const programs = axis === "x" ? MAX_THREADS_X : 65535;
    while (blocks.get(axis)! < Math.min(hint, MAX_BLOCK[axis]!) && (blocks.get(axis)! * programs < hint || total() < target))
      blocks.set(axis, blocks.get(axis)! * 2);
  }
  let numWarps = warps(Math.floor(total() / perWarp), { least: 1 });
  if (total() >= 128) numWarps = Math.max(numWarps, 4);
  const enough = Math.max(total(), minPerThread * 32 * numWarps);
  const x = blocks.get("x")! * Math.ceil(enough / total());
  blocks.set("x", Math.min(withinGrid(hints["x"] ?? 1, x, numWarps), hints["x"] ?? 1));
  return { blocks: Object.fromEntries(blocks), numWarps };
}

// --- reductions ------------------------------------------------------------------------------------

const reductionSize = (hints: Blocks): number => product(Object.keys(hints).flatMap((axis) => (isReduction(axis) ? [hints[axis]!] : [])));

/** How `r` elements are spread over the axes that are reduced, the last axis first. */
function spread(r: number, hints: Blocks): Map<string, number> {
  const axes = Object.keys(hints).filter(isReduction).sort();
  let left = Math.min(r, reductionSize(hints));
  const made = new Map(axes.map((axis) => [axis, 1]));
  for (const axis of axes.toReversed()) {
    const n = Math.min(hints[axis]!, MAX_BLOCK[axis]!, left);
    made.set(axis, n);
    left = Math.floor(left / n);
  }
  return made;
}

interface Wanted {
  readonly numWarps?: number | undefined;
  readonly leastWarps?: number;
  readonly isIntensive?: boolean;
  readonly hint?: Literal | undefined;
}

/** A tile of x rows by r elements of a row. */
function rows(
  { hints, isNew }: Kernel,
  wantedX: number,
  r: number,
  { numWarps, leastWarps = 2, isIntensive = false, hint }: Wanted = {},
): Candidate {
  const inRow = spread(r, hints);
  let x = Math.min(wantedX, hints["x"] ?? 1);
  const total = (): number => x * product([...inRow.values()]);
  let target = total();
  if (product(Object.values(hints)) < target) target = Math.floor(target / 8);
  while (x < (hints["x"] ?? 1) && total() < target) x *= 2;
  for (const [axis] of inRow) while (inRow.get(axis)! < hints[axis]! && total() < target) inRow.set(axis, inRow.get(axis)! * 2);
  const wanted = numWarps ?? Math.floor((isNew && hint === "INNER" ? r : total()) / 128);
  const made = warps(wanted, { most: isNew && r > 8192 ? 32 : 16, least: leastWarps, isIntensive });
  x = withinGrid(hints["x"] ?? 1, x, made);
  for (const [axis] of inRow) while (total() > target && inRow.get(axis)! > 1) inRow.set(axis, Math.floor(inRow.get(axis)! / 2));
  return { blocks: { x, ...Object.fromEntries(inRow) }, numWarps: made };
}

/** A tile of x by y rows. */
function tiledRows({ hints }: Kernel, wanted: Blocks, r: number, isIntensive = false): Candidate {
  const inRow = spread(r, hints);
  const blocks = new Map<string, number>([
    ["x", Math.min(wanted["x"]!, hints["x"]!)],
    ["y", Math.min(wanted["y"]!, hints["y"]!)],
    ...inRow,
  ]);
  const total = (): number => product([...blocks.values()]);
  let target = total();
  if (product(Object.values(hints)) < target) target = Math.floor(target / 8);
  for (const axis of ["x", ...inRow.keys(), "y"])
    while (blocks.get(axis)! < hints[axis]! && total() < target) blocks.set(axis, blocks.get(axis)! * 2);
  const numWarps = warps(warps(Math.floor(total() / 256), { least: 1 }), { most: 16, isIntensive });
  return { blocks: Object.fromEntries(blocks), numWarps };
}

/** Blocks of a size in all, larger along axes whose accesses gain more. */
function byScore(hints: Blocks, scores: Blocks, target: number): Blocks {
  const sum = Object.values(scores).reduce((a, b) => a + b, 0);
  const used = sum === 0 ? mapBlocks(scores, () => target) : scores;
  const blocks: Record<string, number> = mapBlocks(used, () => 1);
  const left = new Map(Object.entries(used).flatMap(([axis, score]) => (score === 0 ? [] : [[axis, score / (sum || 1)] as const])));
  for (let size = 1; size < target && left.size > 0; ) {
    const [axis, score] = [...left].reduce((a, b) => (b[1] > a[1] ? b : a));
    if (blocks[axis]! >= MAX_BLOCK[axis]! || blocks[axis]! >= hints[axis]!) {
      left.delete(axis);
      continue;
    }
    blocks[axis]! *= 2;
    left.set(axis, score / 2);
    size *= 2;
  }
  return blocks;
}

function scoresOf({ inductor }: Kernel, axes: readonly string[]): Blocks {
  const scores = inductor.get("tiling_scores");
  return Object.fromEntries(axes.map((axis) => [axis, scores instanceof Map ? numberOf(scores, axis) : 0]));
}

/** Reductions that go over a row in several steps. */
function reduction(kernel: Kernel): readonly Candidate[] {
  const { hints, inductor, hint, isTuned, isNew } = kernel;
  const r = reductionSize(hints);
  const work = numberOf(inductor, "num_load") + numberOf(inductor, "num_reduction");
  const isIntensive = hints["x"]! >= 1024 && work >= 10;
  const most = isIntensive ? 1024 : 2048;
  const hasY = "y" in hints;
  const tile = (x: number, inRow: number, numWarps?: number, intensive = false): Candidate => {
    if (!hasY || !isNew) return rows(kernel, x, inRow, { numWarps, isIntensive: intensive, hint });
    const blocks = byScore(hints, scoresOf(kernel, Object.keys(hints)), x * inRow);
    return tiledRows(kernel, blocks, blocks["r0_"]!, intensive);
  };
  const contiguous = isNew
    ? tile(r <= 2048 ? 2 : 1, Math.min(r, most), undefined, isIntensive)
    : tile(1, r >= 256 && r < most ? r : most, undefined, isIntensive);
  const tiny = tile(r <= 256 ? 2 * Math.floor(256 / r) : 1, Math.min(r, most), undefined, isIntensive);
  const outer = isNew
    ? outerTile(kernel, r, (x, inRow, numWarps) => tile(x, inRow, numWarps, isIntensive))
    : tile(64, 8, undefined, isIntensive);
  const whole =
    inductor.get("add_persistent_rblock") === true && work <= 8
      ? [tile(Math.max(Math.floor(4096 / r), 1), Math.min(r, 32768), undefined, isIntensive)]
      : [];
  if (!isTuned && !(hasY && isNew)) {
    if (hint === "INNER") return [...whole, contiguous];
    if (hint === "OUTER") return [...whole, outer];
    if (hint === "OUTER_TINY") return [...whole, tiny];
    if (!isNew && inductor.get("autotune_pointwise") === false) return [tile(32, 128)];
  }
  return [...whole, contiguous, outer, tiny, tile(64, 64), tile(8, 512), tile(64, 4, 8)];
}

/** Rows that are not contiguous: as much along x as keeps all SMs busy. */
function outerTile(
  { hints, inductor, dynamic }: Kernel,
  r: number,
  tile: (x: number, inRow: number, numWarps?: number) => Candidate,
): Candidate {
  const x = hints["x"]!;
  const loads = numberOf(inductor, "num_load");
  if (x <= 1024) return tile(Math.max(Math.min(Math.floor(x / 128), 8), 2), Math.min(r, 64));
  if (Math.floor(x / 4096) <= 8) return tile(16, 32);
  if (dynamic > 1) return tile(64, Math.max(Math.min(Math.floor(r / 64), 64), 8));
  if (dynamic === 1) return tile(64, loads >= 3 ? 1 : Math.min(nextPowerOf2(Math.floor(Math.max(r, 128) / 128)), 8));
  const block = Math.max(Math.min(256, nextPowerOf2(Math.floor(x / 4096))), 64);
  if (loads < 4 || r <= 128) return tile(block, Math.floor(512 / block));
  return tile(Math.min(block, 32), r >= 2048 ? 64 : 32, 4);
}

/** Reductions that hold whole rows. */
function persistent(kernel: Kernel): readonly Candidate[] {
  const { hints, inductor, hint, isTuned, isNew } = kernel;
  const r = reductionSize(hints);
  const x = hints["x"]!;
  const withoutRows = ({ blocks, numWarps }: Candidate): Candidate => ({
    blocks: Object.fromEntries(Object.entries(blocks).filter(([axis]) => !isReduction(axis))),
    numWarps,
  });
  if ("y" in hints && isNew) {
    const fitting = [1, 8, 32, 128].filter((size) => size * r <= 4096);
    return fitting.map((size) => withoutRows(tiledRows(kernel, byScore(hints, scoresOf(kernel, ["x", "y"]), size), r)));
  }
  const all = [1, 8, 32, 128]
    .filter((size) => size === 1 || (r * size <= 4096 && size <= x))
    .map((size) => rows(kernel, size, r, { isIntensive: true, hint }));
  const chosen = (): readonly Candidate[] => {
    if (isNew && isTuned) return all;
    if (hint === "INNER" && r >= 256) {
      if (!isNew || r > 1024 || Math.floor(x / 8) < 128 || inductor.get("RSPLIT_SIZE")) return all.slice(0, 1);
      return [rows(kernel, Math.min(Math.floor(1024 / r), 8), r, { isIntensive: true, numWarps: 1, leastWarps: 1, hint })];
    }
    if (hint === "OUTER") return all.slice(-1);
    if (hint === "OUTER_TINY") return [rows(kernel, r <= 256 ? 2 * Math.floor(256 / r) : 1, r)];
    return all;
  };
  const made = chosen();
  return (!isNew && inductor.get("autotune_pointwise") === false && !isTuned ? made.slice(0, 1) : made).map(withoutRows);
}
