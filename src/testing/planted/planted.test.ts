import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { nameOf, placeOf, plant } from "./fault.js";
import { FAULTS } from "./faults/index.js";

const textOf = (file: string): string => readFileSync(`src/${file}`, "utf8");

test("every fault can be planted: what it changes occurs exactly once in its function", () => {
  const problems = FAULTS.flatMap((fault) => {
    const place = placeOf(fault, textOf(fault.file));
    return typeof place === "string" ? [`${nameOf(fault)}: ${place}`] : [];
  });
  expect(problems).toEqual([]);
});
test("what a fault makes of its file is TypeScript all the same", async () => {
  const broken = await Promise.all(
    FAULTS.map((fault) =>
      transform(plant(fault, textOf(fault.file)), { loader: "ts", logLevel: "silent" }).then(
        () => [],
        (error: Error) => [`${nameOf(fault)}: ${error.message.split("\n")[1]}`],
      ),
    ),
  );
  expect(broken.flat()).toEqual([]);
});
test("a fault changes its file there, and nowhere else", () => {
  const [fault] = FAULTS;
  const text = textOf(fault!.file);
  const at = placeOf(fault!, text) as number;
  expect(plant(fault!, text)).toBe(text.slice(0, at) + fault!.replace + text.slice(at + fault!.find.length));
  expect(placeOf({ ...fault!, in: "nothing" }, text)).toBe("there is no 'nothing'");
  expect(placeOf({ ...fault!, find: "nothing like it" }, text)).toMatch(/^'nothing like it' does not occur in /);
});
test("names are unique, and no fault is empty", () => {
  expect(new Set(FAULTS.map(nameOf)).size).toBe(FAULTS.length);
  expect(FAULTS.filter(({ find, replace }) => find === replace)).toEqual([]);
});
test("at least 150 faults that are not equivalent, over all parts of the compiler", () => {
  const real = FAULTS.filter(({ equivalent }) => equivalent === undefined);
  expect(real.length).toBeGreaterThanOrEqual(150);
  const within = (path: string) => real.filter(({ file }) => file.startsWith(path)).length;
  for (const path of [
    "dialects/",
    "rewrite/",
    "analysis/",
    "passes/tt/",
    "passes/ttg/",
    "passes/nvidia/pipeline/",
    "passes/nvidia/nvws/",
    "passes/convert/",
    "passes/nvidia/to-llvm/",
    "passes/ttg-to-llvm/",
    "target/ptx/",
  ])
    expect({ path, enough: within(path) >= 3 }).toEqual({ path, enough: true });
});
