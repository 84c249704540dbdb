/** Start-up: short commands beside an empty node process and, for a Python kernel, beside a Python that imports Triton. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { childrenClock } from "./clock.js";

const RUNS = 21;
const SIGNATURE = "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32, 1, i32, 1, 16, 8, 64, 16, 8, 16";

/** Prints the figures; `python` is one that has Triton, `scratch` a folder for an input of ten lines. */
export function reportStartUp(python: string | undefined, scratch: string): void {
  const file = join(scratch, "ten.mlir");
  writeFileSync(file, `module {\n${[0, 1, 2].map((i) => `  tt.func @f${i}() {\n    tt.return\n  }\n`).join("")}}\n`);
  const node = process.execPath;
  const kernel = "fixtures/kernels/seed003_matmul.py";
  const commands: readonly (readonly [name: string, command: string, ...argv: string[]])[] = [
    ["an empty node process", node, "-e", "0"],
    ["tt-opt on ten lines", node, "bin/tt-opt.js", file],
    ["tt-opt --canonicalize", node, "bin/tt-opt.js", "--canonicalize", file],
    ["tt-step --print-after 0", node, "bin/tt-step.js", "fixtures/kernels/matmul.ttir", "--print-after", "0"],
    ["tt-step on Python, to TTIR", node, "bin/tt-step.js", kernel, "--signature", SIGNATURE, "--emit", "ttir"],
    ...(python === undefined ? [] : [["import triton", python, "-c", "import triton"] as const]),
  ];
  const times = commands.map(() => ({ wall: [] as number[], cpu: 0 }));
  for (let i = 0; i < RUNS; i++)
    commands.forEach(([, command, ...argv], at) => {
      const [cpu, wall] = [childrenClock(), performance.now()];
      const { status } = spawnSync(command, argv, { stdio: "ignore" });
      if (status !== 0) throw new Error(`failed: ${argv.join(" ")}`);
      times[at]!.wall.push(performance.now() - wall);
      times[at]!.cpu += (childrenClock() - cpu) / RUNS;
    });
  const rows = times.map(({ wall, cpu }) => ({ wall: wall.toSorted((a, b) => a - b)[RUNS >> 1]!, cpu }));
  const figure = (time: number, empty: number): string => `${time.toFixed(0).padStart(5)} ms (${(time / empty).toFixed(2)}x)`;
  process.stdout.write("\nStart-up: elapsed and processor time, beside an empty node process\n");
  for (const [at, { wall, cpu }] of rows.entries())
    process.stdout.write(`  ${commands[at]![0].padEnd(28)}${figure(wall, rows[0]!.wall)}  ${figure(cpu, rows[0]!.cpu)}\n`);
}
