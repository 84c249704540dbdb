import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromFragment, type PageState, toFragment } from "./link.js";

const text = readFileSync("fixtures/kernels/seed003_matmul.py", "utf8");
const STATE: PageState = {
  mode: "compiler",
  input: { name: "k.py", text, target: "cuda:90", triton: "3.8", options: { numWarps: 8, numStages: 3 }, signature: "*fp16:16, 128" },
  against: { name: "k.py", text: "é", options: {} },
  screen: "pass=11,focus=diff",
  cute: "(4,2):(2,1)",
};

test("a link brings the state back, and has only letters that links may have", async () => {
  const fragment = await toFragment(STATE);
  expect(fragment).toMatch(/^[\w-]+$/);
  expect(await fromFragment(fragment)).toEqual(STATE);
});

test("a kernel of 200 lines makes a link that chats and mails carry", async () => {
  const long = text.repeat(4).split("\n").slice(0, 200);
  // Lines that repeat would be packed too well.
  const unlike = long.map((line, i) => line.replaceAll(/\b[a-z]+_[a-z]+\b/g, (name) => `${name}${(i * 7919) % 97}`)).join("\n");
  const fragment = await toFragment({ ...STATE, input: { ...STATE.input, text: unlike }, against: undefined });
  expect(fragment.length).toBeLessThan(8000);
});

test("hostile links are refused, with a reason", async () => {
  const pack = (state: unknown) => toFragment(state as PageState);
  expect(await fromFragment("%")).toHaveProperty("error");
  expect(await fromFragment("AAAA")).toHaveProperty("error");
  expect(await fromFragment((await toFragment(STATE)).slice(0, -40))).toHaveProperty("error");
  expect(await fromFragment("A".repeat(300_000))).toHaveProperty("error", "the link is too long to be read");
  expect(await fromFragment(await pack("x"))).toHaveProperty("error");
  expect(await fromFragment(await pack({ mode: "compiler", input: { name: 1, text } }))).toHaveProperty("error");
  const bomb = { ...STATE, input: { name: "k.py", text: " ".repeat(50_000_000) } };
  expect(await fromFragment(await pack(bomb))).toHaveProperty("error", "the link holds a text that is too long for a kernel");
});

test("only what a page writes is read", async () => {
  const fragment = await toFragment({
    ...STATE,
    more: 1,
    input: { ...STATE.input, options: { numWarps: 4, ptxOptions: "--x" }, other: 2 },
  } as unknown as PageState);
  expect(await fromFragment(fragment)).toEqual({ ...STATE, input: { ...STATE.input, options: { numWarps: 4 } } });
});
