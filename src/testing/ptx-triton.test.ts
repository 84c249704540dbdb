/** Our PTX held against real Triton 3.6's of the same kernels, which fixtures/target/triton-ptx.json sums up. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { artifactsOf } from "../backend/nvidia/artifacts.js";
import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { codegenFacts } from "../explain/codegen-facts.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";

interface Expected {
  /** `kernel.py:12` of each line that has a `.loc`. */
  readonly lines: readonly string[];
  /** How often each instruction occurs that moves data, multiplies matrices or waits. */
  readonly instructions: Readonly<Record<string, number>>;
}
const expected = JSON.parse(readFileSync("fixtures/target/triton-ptx.json", "utf8")) as Readonly<Record<string, Expected>>;

/** LLVM unrolls loops of few rounds that are known: there are more instructions, not others. */
const UNROLLED = new Set(["seed003_matmul 80"]);

test.each(Object.entries(expected))("%s", (name, { lines, instructions }) => {
  const [kernel, target] = name.split(" ") as [string, string];
  const capability = Number(target);
  const file = `fixtures/kernels/${kernel}.ttir`;
  const module = parseModule(new Context(ALL_DIALECTS), file, readFileSync(file, "latin1"))!.module;
  const options = { target: `cuda:${capability}`, options: defaultOptions(capability) };
  const { trace } = compile(kernel, module, { ...options, artifacts: ["ptx", "instructions"], translate: artifactsOf, clock: () => 0 });
  const ptx = trace.artifacts.ptx!;

  const ours = linesOf(ptx);
  expect(lines.filter((line) => !ours.has(line))).toEqual([]);

  const counts = instructionsOf(ptx);
  if (UNROLLED.has(name)) expect(Object.keys(counts)).toEqual(Object.keys(instructions));
  else expect(counts).toEqual(instructions);

  // The facts count what the text has; waits, which only the last stages mention, are reported with their operand.
  const facts: Record<string, number> = {};
  for (const { instruction, count } of codegenFacts(trace)) {
    const mnemonic = instruction.split(" ")[0]!;
    facts[mnemonic] = (facts[mnemonic] ?? 0) + count;
  }
  expect(sorted(facts)).toEqual(counts);
});

function linesOf(ptx: string): Set<string> {
  const files = new Map([...ptx.matchAll(/\.file\s+(\d+) "(?:[^"]*\/)?([^"]*)"/g)].map((m) => [m[1], m[2]]));
  return new Set([...ptx.matchAll(/\.loc\s+(\d+) (\d+) /g)].map((m) => `${files.get(m[1])}:${m[2]}`));
}
const MOVES = /^(?:@!?%\w+\s+)?((?:ld|st|atom|red|cp|ldmatrix|stmatrix|mma|wgmma|mbarrier|bar|shfl|fence)\.[\w.:]*)/;
function instructionsOf(ptx: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of ptx.split("\n")) {
    const mnemonic = MOVES.exec(line.replace(/^[\s{]+/, ""))?.[1];
    if (mnemonic && !/^(?:ld|st)\.param/.test(mnemonic)) counts[mnemonic] = (counts[mnemonic] ?? 0) + 1;
  }
  return sorted(counts);
}
const sorted = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
