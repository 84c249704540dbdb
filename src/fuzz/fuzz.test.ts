import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { corpusOf, type FuzzInput, KINDS, makeInput } from "./kinds.js";
import { Random } from "./random.js";
import { reduce } from "./reduce.js";
import { runInput } from "./run-input.js";

const KEPT = "fixtures/fuzz";
const kept = existsSync(KEPT) ? readdirSync(KEPT).sort() : [];

describe("inputs that once ended badly", () => {
  test.each(kept)("%s", async (file) => {
    const input = JSON.parse(readFileSync(`${KEPT}/${file}`, "utf8")) as FuzzInput;
    const { fault } = await runInput(input);
    expect(fault).toBeUndefined();
  });
});

describe("a few inputs of each kind end well, and some are accepted", () => {
  test.each(KINDS)("$name", async (kind) => {
    const corpus = corpusOf(kind);
    expect(corpus.seeds.length).toBeGreaterThan(0);
    // `npm run fuzz` runs more of them, in CI too.
    for (let n = 0; n < (kind.name === "validate" ? 2 : 6); n++) {
      const input = makeInput(corpus, new Random(n));
      const { fault } = await runInput(input);
      expect({ fault, input: fault === undefined ? undefined : input }).toEqual({});
    }
  });
});

test("an input is a function of its kind and its seed", () => {
  const corpus = corpusOf(KINDS[0]!);
  const make = (seed: number) => JSON.stringify(makeInput(corpus, new Random(seed)));
  expect(make(5)).toBe(make(5));
  expect(make(5)).not.toBe(make(6));
});

test("a reduction keeps what fails", async () => {
  const files = { k: Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n") };
  const { files: smaller } = await reduce({ tool: "tt-opt", argv: ["k"], files }, async ({ files: { k = "" } }) => /7[\s\S]*93/.test(k));
  expect(smaller["k"]).toBe("793");
});
