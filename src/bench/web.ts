/**
 * Figures of the playground: bytes of the first load, processor time of its worker to the first result and from a change of the text to
 * the new difference. The worker is run here; `npm run test:browser -- figures` measures a browser.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Order } from "../web/protocol.js";
import { Playground } from "../web/worker/playground.js";
import { threadClock } from "./clock.js";

/** Kernels, with budgets in milliseconds from a keystroke to the new difference on a machine with nothing else to do. */
const KERNELS = [
  ["vecadd.ttir", 150],
  ["seed003_add.py", 150],
  ["matmul.ttir", 500],
  ["seed003_matmul.py", 500],
] as const;
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

export function reportPlayground(): void {
  process.stdout.write("\nPlayground: processor time of the worker\n");
  if (existsSync("dist/web")) {
    const bytes = readdirSync("dist/web").reduce((sum, name) => sum + gzipSync(readFileSync(`dist/web/${name}`)).length, 0);
    process.stdout.write(`  first load ${(bytes / 1e6).toFixed(2)} MB compressed (budget 1.5)\n`);
  }
  for (const [name, budget] of KERNELS) {
    const text = readFileSync(`fixtures/kernels/${name}`, "utf8");
    let began = 0;
    let drawn: number | undefined;
    const playground = new Playground(
      (report) => {
        if (report.kind === "pictures" && report.pictures.diff) drawn ??= threadClock() - began;
      },
      () => performance.now(),
    );
    /** Milliseconds until the difference is drawn, and until all is done. */
    const times = (order: Order): readonly [number, number] => {
      began = threadClock();
      drawn = undefined;
      playground.receive(order);
      while (playground.step());
      const all = threadClock() - began;
      return [drawn ?? all, all];
    };
    const [cold] = times({ kind: "compile", input: { name, text }, open: "pass=11,focus=diff" });
    const comment = name.endsWith(".py") ? "#" : "//";
    // An op more or less is a change of every pass.
    const edits = Array.from({ length: 9 }, (_, i) =>
      times({ kind: "compile", input: { name, text: `${comment} ${"x".repeat(i)}\n${edited(text, i)}` } }),
    );
    const [toDiff, toEnd] = [median(edits.slice(2).map(([diff]) => diff)), median(edits.slice(2).map(([, all]) => all))];
    process.stdout.write(
      `  ${name.padEnd(18)} first ${cold.toFixed(0).padStart(5)} ms   a change: difference ${toDiff.toFixed(0).padStart(4)} ms (budget ${budget}), all ${toEnd.toFixed(0).padStart(4)} ms\n`,
    );
  }
}
/** Another constant where there is one. */
const edited = (text: string, i: number): string =>
  text.replace(/= arith\.constant (\d+) : i32/, (all, n: string) => all.replace(n, String(Number(n) + (i % 2) * Number(n))));
