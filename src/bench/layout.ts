/**
 * Layout benchmarks: operations of linear layouts beside the same on boolean matrices, and all recorded prints beside libtriton's
 * (with a PYTHON that has Triton).
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readAttribute } from "../layout/attribute-reader.fixture.js";
import { LinearLayout } from "../layout/linear-layout.js";
import { composeMatrices, invertMatrix, matrixOf, rankOfMatrix } from "../layout/naive-matrix.fixture.js";
import { printHwView, printTensorView } from "../layout/print-layout.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";

/** Prints the figures; ratios above 1 for operations and below 1 for prints are in our favour. */
export function reportLayouts(python: string | undefined): void {
  reportAlgebra();
  reportPrints(python);
  reportStartUp();
}

/** The command on a small tensor beside a node that does nothing, run by turns. */
function reportStartUp(): void {
  const attr = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
  const time = (argv: readonly string[]): number => {
    const start = performance.now();
    spawnSync(process.execPath, argv, { stdio: "ignore" });
    return performance.now() - start;
  };
  const ratios = Array.from({ length: 21 }, () => {
    const empty = time(["-e", "0"]);
    return time(["bin/triton-tensor-layout.js", "-l", attr, "-t", "tensor<4x32xf16>"]) / empty;
  });
  const ratio = ratios.sort((a, b) => a - b)[10]!;
  process.stdout.write(`start-up: triton-tensor-layout on 4x32 takes ${ratio.toFixed(2)} times an empty node process\n`);
}

function reportAlgebra(): void {
  const shape = [128, 128];
  const a = toLinearLayout(
    shape,
    readAttribute("#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"),
  );
  const b = toLinearLayout(
    shape,
    readAttribute("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"),
  );
  const inverse = b.invert();
  const [ma, mb, mInverse] = [matrixOf(a), matrixOf(b), matrixOf(inverse)];
  const operations: readonly (readonly [name: string, ours: () => unknown, naive: () => unknown])[] = [
    ["compose", () => a.compose(inverse), () => composeMatrices(ma, mInverse)],
    ["invert", () => b.invert(), () => invertMatrix(mb)],
    ["invertAndCompose", () => a.invertAndCompose(b), () => composeMatrices(ma, invertMatrix(mb))],
    ["rank", () => new LinearLayout(a.inDimNames, a.inStart, a.packed, a.outDimNames, a.outShift).getRank(), () => rankOfMatrix(ma)],
  ];
  process.stdout.write("\nlinear layouts, operations per second\n");
  for (const [name, ours, naive] of operations) {
    const [mine, theirs] = [perSecond(ours), perSecond(naive)];
    process.stdout.write(`  ${name.padEnd(17)} ${mine.toExponential(1)}   ${(mine / theirs).toFixed(0)} times a boolean matrix\n`);
  }
}

function reportPrints(python: string | undefined): void {
  type Row = readonly [attr: string, shape: readonly number[], view: string, hash: string];
  const rows = JSON.parse(readFileSync("fixtures/layout/print-hashes.json", "utf8")) as readonly Row[];
  const layouts = rows.map(([attr, shape, view]) => [toLinearLayout(shape, readAttribute(attr)), view] as const);
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    let characters = 0;
    for (const [layout, view] of layouts)
      (view === "hw" ? printHwView : printTensorView)(layout, (line) => (characters += line.length + 1));
    best = Math.min(best, performance.now() - start);
  }
  let reference = "";
  if (python !== undefined) {
    const input = JSON.stringify(layouts.map(([layout, view]) => [layout.getBases(), layout.getOutDims(), view]));
    const child = spawnSync(python, ["-c", LIBTRITON_PRINTS], { input, encoding: "utf8" });
    if (child.status !== 0) throw new Error(`libtriton: ${child.stderr}`);
    reference = `, ${(best / Number(child.stdout)).toFixed(2)}x libtriton's time`;
  }
  process.stdout.write(`\n${rows.length} layout prints: ${best.toFixed(0)} ms${reference}\n`);
}

/** The best of five rounds of 50 ms. */
function perSecond(operation: () => unknown): number {
  let best = 0;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    let count = 0;
    while (performance.now() - start < 50) for (let i = 0; i < 50; i++, count++) operation();
    best = Math.max(best, (count * 1000) / (performance.now() - start));
  }
  return best;
}

/** A Python program that reads layouts from stdin and times libtriton's prints of them: the best of five, in milliseconds. */
const LIBTRITON_PRINTS = `
import json, sys, time
from triton._C.libtriton import linear_layout
cases = []
for bases, outs, view in json.load(sys.stdin):
    layout = linear_layout.LinearLayout.from_bases(bases, [name for name, _ in outs], [size for _, size in outs], True)
    show = layout.get_shared_view if bases[0][0] == "offset" else layout.get_distributed_view
    cases.append((show, view == "hw"))
best = 1e9
for _ in range(5):
    start = time.perf_counter()
    for show, hw in cases: show(hw)
    best = min(best, time.perf_counter() - start)
print(best * 1000)
`;
