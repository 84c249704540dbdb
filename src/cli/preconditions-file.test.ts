import { describe, expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { preconditionsBeside, preconditionsText, readPreconditions } from "./preconditions-file.js";

const FULL = `{"scalars": {"heads": 2}, "arrays": {"lens": {"kind": "range", "low": 8, "high": 70}}, "grid": [4], "programs": [[3]]}`;

test("what is stated beside an input, and how a report lists it", () => {
  const io = memoryIo("", { "k/softmax.args.json": FULL, "k/args.json": "{}" });
  const stated = preconditionsBeside("k/softmax.ttir", io);
  expect(stated).toMatchObject({ path: "k/softmax.args.json", preconditions: { grid: [4], programs: [[3, 0, 0]] } });
  if ("error" in stated) return;
  expect(preconditionsText(stated)).toBe(
    "preconditions of k/softmax.args.json: heads = 2, lens range low=8 high=70, grid 4, programs (3, 0, 0)\n",
  );
  expect(preconditionsBeside("k/other.ttir", io)).toMatchObject({ path: "k/args.json" });
  expect(preconditionsBeside("elsewhere/k.ttir", io)).toEqual({ path: undefined, preconditions: {} });
  // A folder may hold its own; an input without an extension is not taken for what is stated of it.
  expect(preconditionsBeside("k", io)).toMatchObject({ path: "k/args.json" });
  expect(preconditionsBeside("./k/", io)).toMatchObject({ path: "k/args.json" });
  expect(preconditionsBeside("a.b/k", memoryIo("", { "a.b/k": "IR" }))).toEqual({ path: undefined, preconditions: {} });
  expect(preconditionsBeside("a.b/k", memoryIo("", { "a.b/k.args.json": "{}" }))).toMatchObject({ path: "a.b/k.args.json" });
});

describe("what is wrong is said", () => {
  test("names are the bytes of their UTF-8, as in IR, escaped in JSON or not", () => {
    const scalars = { "gr\xc3\xb6\xc3\x9fe": 7 };
    expect(readPreconditions('{"scalars": {"gr\xc3\xb6\xc3\x9fe": 7}}')).toEqual({ scalars });
    expect(readPreconditions('{"scalars": {"gr\\u00f6\\u00dfe": 7}}')).toEqual({ scalars });
  });
  test.each([
    ["[]", "an object with 'scalars', 'arrays', 'grid' or 'programs' is expected"],
    [`{"scalar": {}}`, "'scalar' is none of scalars, arrays, grid, programs"],
    [`{"scalars": {"n": "4"}}`, "'scalars' is an object of numbers"],
    [
      `{"arrays": {"x": 4}}`,
      "array 'x': 'kind' is one of random, zeros, arange, range, special, edges, wide, permutation, monotone, pointers",
    ],
    [`{"arrays": {"x": {"kind": "range", "low": 1}}}`, "array 'x': 'high' is a number"],
    [`{"arrays": {"x": {"kind": "range", "low": 0, "high": 9, "step": 0}}}`, "array 'x': 'step' is a positive number"],
    [`{"arrays": {"x": {"kind": "permutation", "count": 0}}}`, "array 'x': 'count' is a positive integer"],
    [`{"arrays": {"x": {"kind": "pointers", "element": "word"}}}`, "array 'x': 'element' is a type as f32, i32"],
    [`{"grid": [0]}`, "'grid' is one to three positive integers"],
    [`{"programs": [0]}`, "'programs' is a list of places in the grid, each one to three integers"],
  ])("%s", (text, error) => expect(readPreconditions(text)).toEqual({ error }));
});
