/**
 * Examples from two articles on Triton's layouts (fixtures/layout-seeds/*.txt): commands, figures and listings, with what the
 * articles print. A file holds blocks of `# notes`, `$ arguments` and the output; `...` stands for lines left out, and after
 * `as: numbers` (or `as: threads`) a line is compared by its numbers (or those of the threads) only.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { layoutFunction } from "../layout/grid.js";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./triton-tensor-layout.js";

const FOLDER = "fixtures/layout-seeds";

interface Block {
  readonly command: string;
  readonly as: string | undefined;
  readonly lines: readonly string[];
}

function blocksOf(text: string): Block[] {
  return text
    .split(/\n\n+/)
    .map((part) => part.split("\n").filter((line) => !line.startsWith("# ") && line !== ""))
    .filter((lines) => lines.some((line) => line.startsWith("$ ")))
    .map((lines) => {
      const at = lines.findIndex((line) => line.startsWith("$ "));
      const as = lines.find((line) => line.startsWith("as: "))?.slice(4);
      return { command: lines[at]!.slice(2), as, lines: lines.slice(at + 1) };
    });
}

/** Words of a command, with quotes. */
function words(command: string): string[] {
  return [...command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

async function run(command: string): Promise<string[]> {
  const io = memoryIo();
  expect(await main(words(command), io), `${command}\n${io.err()}`).toBe(0);
  return io.out().split("\n").slice(0, -1);
}

function shown(line: string, as: string | undefined): string {
  if (as === undefined) return line;
  const numbers = as === "threads" && line.includes("T") ? line.replace(/T(\d+):\d+/g, "$1") : line;
  return (numbers.match(/\d+/g) ?? []).join(" ");
}

/** Do the lines match, `...` any number of them? */
function matches(actual: readonly string[], expected: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== "...") return actual.length > 0 && actual[0] === first && matches(actual.slice(1), rest);
  return actual.some((_, i) => matches(actual.slice(i), rest)) || matches([], rest);
}

/** The layout function has no command; its table is tested below. */
const files = readdirSync(FOLDER).filter((file) => file !== "004-layout-function.txt");
describe.each(files.sort())("%s", (file) => {
  const blocks = blocksOf(readFileSync(`${FOLDER}/${file}`, "utf8"));
  test.each(blocks.map((block) => [block.command.slice(0, 150), block] as const))("%s", async (_, { command, as, lines }) => {
    const actual = (await run(command)).map((line) => shown(line, as));
    const expected = lines.map((line) => (line === "..." ? line : shown(line, as)));
    if (!matches(actual, expected)) expect(actual).toEqual(expected);
  });
});

test("the layout function of the article's table", () => {
  const lines = readFileSync(`${FOLDER}/004-layout-function.txt`, "utf8").split("\n");
  const rows = lines
    .filter((line) => line.startsWith("{"))
    .map((line) => [...line.matchAll(/\{([\d,]+)\}/g)].map((m) => m[1]!.split(",").map(Number)));
  expect(rows).toHaveLength(2);
  rows.forEach((row, r) => {
    row.forEach((owners, c) => expect(layoutFunction([2, 8], [4, 4], [r, c]).map(([i = 0, j = 0]) => 4 * i + j)).toEqual(owners));
  });
});

/** The article's formulas for the places of a 4x4 swizzled memory, beside Triton's. */
describe("formulas of the swizzle tables", () => {
  type Formula = (r: number, c: number) => number;
  const triton =
    (vec: number, perPhase: number, maxPhase: number): Formula =>
    (r, c) =>
      ((Math.trunc(c / vec) ^ ((Math.trunc(r / perPhase) % maxPhase) % (4 / vec))) % (4 / vec)) * vec + (c % vec);
  const cases: readonly (readonly [name: string, params: readonly [number, number, number], printed: Formula, right: boolean])[] = [
    ["line 77", [1, 1, 4], (r, c) => c ^ r, true],
    ["line 88", [1, 2, 4], (r, c) => c ^ Math.trunc(r / 2), true],
    ["line 99", [1, 1, 2], (r, c) => c ^ (r % 2), true],
    ["line 112 lacks % (columns / vec)", [2, 1, 4], (r, c) => (Math.trunc(c / 2) ^ r) * 2 + (c % 2), false],
    ["line 123 has r % 2 for r / 2", [2, 2, 4], (r, c) => (Math.trunc(c / 2) ^ (r % 2)) * 2 + (c % 2), false],
  ];
  test.each(cases)("%s", async (_, [vec, perPhase, maxPhase], printed, right) => {
    const lines = await run(
      `-t tensor<4x4xf16> -l '#ttg.swizzled_shared<{vec = ${vec}, perPhase = ${perPhase}, maxPhase = ${maxPhase}, order = [1, 0]}>'`,
    );
    const table = lines.slice(1).map((line) => [...line.matchAll(/:(\d)/g)].map((m) => Number(m[1])));
    const tableOf = (formula: Formula) => [0, 1, 2, 3].map((r) => [0, 1, 2, 3].map((c) => formula(r, c)));
    expect(table).toEqual(tableOf(triton(vec, perPhase, maxPhase)));
    if (right) expect(tableOf(printed)).toEqual(table);
    else expect(tableOf(printed)).not.toEqual(table);
  });
});

/** Fragments of mma.m16n8k16 as the PTX manual defines them: the figures that the article shows as images. */
test("fragments of mma.m16n8k16", async () => {
  const ownersOf = async (layout: string, type: string): Promise<string[][]> =>
    (await run(`-t ${type} -l '${layout}'`)).slice(1).map((line) => line.match(/T\d+:\d+/g) ?? []);
  const check = (table: string[][], place: (lane: number, i: number) => readonly [number, number], registers: number): void => {
    for (let lane = 0; lane < 32; lane++)
      for (let i = 0; i < registers; i++) {
        const [row, column] = place(lane, i);
        expect(table[row]![column]).toBe(`T${lane}:${i}`);
      }
  };
  const mma = "#triton_gpu.mma<{version = 2, warpsPerCTA = [1, 1]}>";
  const operand = (index: number): string => `#triton_gpu.dot_op<{opIdx = ${index}, parent = ${mma}}>`;
  check(await ownersOf(mma, "tensor<16x8xf32>"), (lane, i) => [(lane >> 2) + 8 * (i >> 1), (lane % 4) * 2 + (i & 1)], 4);
  check(
    await ownersOf(operand(0), "tensor<16x16xf16>"),
    (lane, i) => [(lane >> 2) + 8 * ((i >> 1) & 1), (lane % 4) * 2 + (i & 1) + 8 * (i >> 2)],
    8,
  );
  check(await ownersOf(operand(1), "tensor<16x8xf16>"), (lane, i) => [(lane % 4) * 2 + (i & 1) + 8 * (i >> 1), lane >> 2], 4);
});
