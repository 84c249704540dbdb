import { expect, test } from "vitest";
import { main as ttOpt } from "../cli/tt-opt.js";
import { memoryIo } from "../testing/memory-io.js";

/** Aliases that are each made of the one before. */
const chain = (first: string, link: (before: string) => string, count: number): string =>
  Array.from({ length: count }, (_, i) => `#a${i} = ${i === 0 ? first : link(`#a${i - 1}`)}\n`).join("");
const LINKS = {
  array: ["[1]", (a: string) => `[${a}]`],
  dictionary: ["{a}", (a: string) => `{a = ${a}}`],
  name: ['loc("a.py":1:1)', (a: string) => `loc("x"(${a}))`],
  callsite: ['loc("a.py":1:1)', (a: string) => `loc(callsite("f.py":1:1 at ${a}))`],
} as const;

test.each(Object.entries(LINKS))("aliases made of aliases: %s", async (_, [first, link]) => {
  const run = async (count: number) => {
    const io = memoryIo("", { "x.mlir": `${chain(first, link, count)}module attributes {x.a = #a${count - 1}} {}\n` });
    return { code: await ttOpt(["x.mlir", "-mlir-print-debuginfo"], io), out: io.out(), err: io.err() };
  };
  expect(await run(250)).toMatchObject({ code: 0, err: "" });
  const { code, out, err } = await run(20_000);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^x.mlir:\d+:\d+: error: limit: more than 1024 levels of nesting where aliases are written out \[limit/);
});
