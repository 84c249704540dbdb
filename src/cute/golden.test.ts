/** Everything CUTLASS's own headers print, byte for byte. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { evaluate } from "./cxx/evaluate.js";

interface Tiled {
  readonly id: string;
  readonly kind: "TiledMMA" | "TiledCopy";
  readonly expr: string;
  readonly tensorMNK?: readonly [number, number, number];
  readonly srcTensor?: string;
  readonly dstTensor?: string;
  readonly output: Readonly<Record<string, string>>;
}

const read = <T>(name: string): T => JSON.parse(readFileSync(`fixtures/cute/${name}.json`, "utf8")).cases;

/** The output of a program. */
function printed(text: string): string {
  let out = "";
  evaluate(text, { write: (s) => void (out += s), defines: new Map() });
  return out;
}

test.each(["algebra", "random"])("expressions: %s", (name) => {
  const wrong = read<[id: string, expr: string, output: string][]>(name).flatMap(([id, expr, output]) => {
    const got = printed(expr);
    return got === output ? [] : [{ id, expr, got, output }];
  });
  expect(wrong).toEqual([]);
});

const tiled = read<Tiled[]>("tiled");
const threadsOf = (c: Tiled) => Object.keys(c.output).flatMap((k) => /_t(\d+)$/.exec(k)?.[1] ?? []);

/** The program that prints one output of a case. */
function program(c: Tiled, key: string): string {
  const thread = /_t(\d+)$/.exec(key)?.[1] ?? "0";
  const fixed: Readonly<Record<string, string>> = {
    print: "print(x);",
    size: "print(size(x));",
    tile_size_mnk: "print(tile_shape(x));",
    thr_layout_vmnk: "print(x.get_thr_layout_vmnk());",
    ThrMMA_print: "print(x.get_slice(0));",
    ThrCopy_print: "print(x.get_slice(0));",
    print_latex: "print_latex(x);",
    print_svg: "print_svg(x);",
  };
  if (fixed[key]) return fixed[key];
  const operand = /(?:^|_|Layout)([ABCSD])(?:_|$)/.exec(key)![1]!;
  const tensor = c.kind === "TiledMMA" ? mmaTensor(c, operand) : operand === "S" ? c.srcTensor! : c.dstTensor!;
  const coordinates = (prefix: string) =>
    `auto p = x.get_slice(${thread}).partition_${operand}(make_identity_tensor(shape(${tensor}))); ${prefix}for(int i=0;i<min(16,size(p));i++){`;
  const cut = c.kind === "TiledMMA" ? "thrfrg" : "tidfrg";
  if (key === `Layout${operand}_TV`) return `print(x.get_layout${operand}_TV());`;
  if (key === `print_layout_${operand}_TV`) return `print_layout(x.get_layout${operand}_TV());`;
  if (key === `${operand}_tensor`) return `print(${tensor});`;
  if (key === `${cut}_${operand}`) return `print(x.${cut}_${operand}(${tensor}));`;
  if (key === `partition_shape_${operand}`) return `print(partition_shape_${operand}(x, shape(${tensor})));`;
  if (key === `partition_${operand}`)
    return `print(x.get_slice(0).partition_${operand}(make_tensor(make_gmem_ptr((float*)nullptr),${tensor})).layout());`;
  if (key.startsWith("part_")) return `${coordinates('print(shape(p)); print(" @"); ')}print(" ");print(p(i));}`;
  if (key.includes("_coords_")) return `${coordinates("")}if(i)print(" ");print(p(i));}`;
  return `auto p = x.get_slice(${thread}).partition_${operand}(make_counting_tensor(${tensor})); print(p(0));`;
}

function mmaTensor(c: Tiled, operand: string): string {
  const [m, n, k] = c.tensorMNK!;
  const [x, y] = operand === "A" ? [m, k] : operand === "B" ? [n, k] : [m, n];
  return `make_layout(make_shape(Int<${x}>{},Int<${y}>{}),LayoutRight{})`;
}

const digest = (s: string): string => `sha256:${createHash("sha256").update(s).digest("hex").slice(0, 16)}`;

test.each(["TiledMMA", "TiledCopy"] as const)("%s: prints, layouts, partitions of several threads, pictures", (kind) => {
  const wrong: unknown[] = [];
  for (const c of tiled.filter((t) => t.kind === kind)) {
    expect(threadsOf(c).length).toBeGreaterThan(0);
    for (const [key, raw] of Object.entries(c.output)) {
      const want = raw.replace("{print}", () => c.output["print"]!);
      const got = printed(`auto x = ${c.expr};${program(c, key)}`);
      if ((raw.startsWith("sha256:") ? digest(got) : got) !== want) wrong.push({ id: c.id, key, got, want });
    }
  }
  expect(wrong).toEqual([]);
});
