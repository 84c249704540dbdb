import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CATALOGUE, explain } from "../diagnostics/catalogue.js";
import { ALL_DIALECTS } from "../dialects/index.js";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (f) => /\.tsx?$/.test(f) && !/\.test\.tsx?$/.test(f) && !f.endsWith("catalogue.ts"),
);
const used = new Set(
  sources.flatMap((f) =>
    [...readFileSync(`src/${f}`, "utf8").matchAll(/"((?:parse|verify|pass|target|lower|conversion|ptx|config|trace)\.[a-z0-9-]+)"/g)].map(
      (m) => m[1]!,
    ),
  ),
);

const OPS = new Set(ALL_DIALECTS.flatMap(({ ops }) => ops.map(({ name }) => name)));

test("every code in use is explained", () => {
  expect([...used].filter((code) => !(code in CATALOGUE)).sort()).toEqual([]);
});
test("every code of a dialect's rules is explained, or is an op's name", () => {
  const passed = /\b(?:report|error|plain|refuse|CODE)\b.*"((?:arith|scf|cf|tt|ttg|ttng|nvws|llvm|nvvm|gpu|func|gluon)\.[\w-]+)"[,);]/g;
  const codes = new Set(sources.flatMap((f) => [...readFileSync(`src/${f}`, "utf8").matchAll(passed)].map((m) => m[1]!)));
  expect(codes.size).toBeGreaterThan(40);
  expect([...codes].filter((code) => !(code in CATALOGUE) && !OPS.has(code)).sort()).toEqual([]);
});
test("a pass's own code points to the pass", () => {
  expect(
    explain(
      "pass.cse",
      () => undefined,
      (flag) => (flag === "cse" ? "merge equal ops" : undefined),
    ),
  ).toContain("merge equal ops");
});
test("an op's own code points to the op", () => {
  expect(explain("tt.trans", (name) => (name === "tt.trans" ? "transpose" : undefined))).toContain("transpose");
  expect(explain("tt.typo", () => undefined)).toBeUndefined();
  expect(explain("no-such-code", () => undefined)).toBeUndefined();
});
