import { expect, test } from "vitest";
import type { InitialValues } from "./initial-values.js";
import { Memory, MemoryLimit } from "./memory.js";
import { bytesOf, type ElementKind, readElement } from "./numbers/element.js";
import { decode } from "./numbers/small-float.js";

test("arrays end where another run has touched them; the word of a 16-bit atomic may be exchanged as a whole", () => {
  const source = new Memory(1);
  const a = source.addBuffer({ name: "a", element: "f16" });
  source.load16(a + 2);
  source.store16(a + 4, 7);
  source.prepareAtomic(a + 8, 2);
  const later = new Memory(1, undefined, source);
  later.addBuffer({ name: "a", element: "f16" });
  later.addBuffer({ name: "#scratch", element: "i8" }, 9);
  expect(later.outOfBounds(a + 2, 4)).toBeUndefined();
  expect(later.outOfBounds(a, 4)).toBe(`address 0x${a.toString(16)}: byte 0 of 'a' (element 0), which the source does not touch`);
  expect(later.outOfBounds(a + 2048, 2)).toContain("(element 1024), which the source does not touch");
  expect(later.outOfBounds(a + 8, 4)).toBeUndefined();
  expect(later.outOfBounds(later.buffers[1]!.address, 4)).toBeUndefined();
});

test("what was never written depends only on seed, argument and offset", () => {
  const one = new Memory(7);
  const two = new Memory(7);
  const [a, b] = [one.addBuffer({ name: "a", element: "f16" }), one.addBuffer({ name: "b", element: "i32" })];
  two.addBuffer({ name: "a", element: "f16" });
  two.addBuffer({ name: "b", element: "i32" });
  two.load32(b + 4096); // another order of touching
  expect(one.load16(a + 2000)).toBe(two.load16(a + 2000));
  expect(one.load32(b + 4096)).toBe(two.load32(b + 4096));
  const other = new Memory(8);
  other.addBuffer({ name: "a", element: "f16" });
  expect(Array.from({ length: 8 }, (_, i) => other.load16(a + 2 * i))).not.toEqual(
    Array.from({ length: 8 }, (_, i) => one.load16(a + 2 * i)),
  );
});

test("floats are N(0, 1), integers 0..15", () => {
  const memory = new Memory(1);
  const f = memory.addBuffer({ name: "f", element: "f16" });
  const i = memory.addBuffer({ name: "i", element: "i64" });
  const values = Array.from({ length: 4000 }, (_, k) => decode("f16", memory.load16(f + 2 * k)));
  const mean = values.reduce((s, x) => s + x, 0) / values.length;
  const variance = values.reduce((s, x) => s + (x - mean) ** 2, 0) / values.length;
  expect(Math.abs(mean)).toBeLessThan(0.06);
  expect(Math.abs(variance - 1)).toBeLessThan(0.1);
  const integers = new Set(Array.from({ length: 400 }, (_, k) => Number(memory.load64(i + 8 * k))));
  expect([...integers].sort((x, y) => x - y)).toEqual(Array.from({ length: 16 }, (_, k) => k));
});

test("stores are kept, in runs, and contents show them", () => {
  const memory = new Memory(1);
  const a = memory.addBuffer({ name: "a", element: "i32", bytes: 4096, init: { kind: "arange" } });
  memory.store32(a + 1020, -1);
  memory.store32(a + 1024, 5);
  memory.store8(a, 3);
  expect(memory.stores("a")).toEqual([
    { offset: 0, bytes: Uint8Array.of(3) },
    { offset: 1020, bytes: Uint8Array.of(255, 255, 255, 255, 5, 0, 0, 0) },
  ]);
  expect([...new Int32Array(memory.contents("a", 4096).buffer)].slice(254, 260)).toEqual([254, -1, 5, 257, 258, 259]);
});

test("bounds: a negative index, one beyond the end, an address of nobody", () => {
  const memory = new Memory(1);
  const a = memory.addBuffer({ name: "a", element: "f32", bytes: 64 });
  expect(memory.outOfBounds(a + 60, 4)).toBeUndefined();
  expect(memory.outOfBounds(a + 64, 4)).toMatch(/^address 0x[0-9a-f]+: byte 64 of 'a' \(element 16\), which has 64 bytes$/);
  expect(memory.outOfBounds(a - 4, 4)).toContain("byte -4 of 'a'");
  expect(memory.outOfBounds(16, 4)).toContain("belongs to no argument");
});

test("memory first touched by an atomic starts at 0", () => {
  const memory = new Memory(1);
  const a = memory.addBuffer({ name: "a", element: "i32" });
  const before = memory.load32(a);
  for (let k = 0; k < 8; k++) {
    memory.prepareAtomic(a + 4 * k, 4);
    expect(memory.load32(a + 4 * k)).toBe(k === 0 ? before : 0);
  }
  // Another run that is compared begins as this one did, whether loads or atomics come first there.
  const other = new Memory(memory.seed, undefined, memory);
  const b = other.addBuffer({ name: "a", element: "i32" });
  other.prepareAtomic(b, 4);
  expect([0, 1, 7].map((k) => other.load32(b + 4 * k))).toEqual([before, 0, 0]);
});

test("a pointer table's entries are buffers of their own", () => {
  const memory = new Memory(1);
  const table = memory.addBuffer({ name: "table", element: "i64", init: { kind: "pointers", element: "f16" } });
  const [p, q] = [Number(memory.load64(table)), Number(memory.load64(table + 8))];
  expect(p).not.toBe(q);
  memory.store16(p, 1);
  expect(memory.stores("table[0]")).toEqual([{ offset: 0, bytes: Uint8Array.of(1, 0) }]);
});

test("special floats are mixed in: zeros, infinities, NaN", () => {
  const memory = new Memory(1);
  const a = memory.addBuffer({ name: "a", element: "f32", init: { kind: "special" } });
  for (let k = 0; k < 256; k++) memory.load32(a + 4 * k);
  const values = [...new Float32Array(memory.contents("a", 1024).buffer)];
  for (const special of [0, -0, Infinity, -Infinity, NaN]) expect(values.some((x) => Object.is(x, special))).toBe(true);
  expect(values.filter((x) => Math.abs(x) > 0.01 && Math.abs(x) < 4).length).toBeGreaterThan(100);
});

test("a permutation has every index once", () => {
  const memory = new Memory(3);
  const p = memory.addBuffer({ name: "p", element: "i32", init: { kind: "permutation", count: 100 } });
  expect(Array.from({ length: 100 }, (_, i) => memory.load32(p + 4 * i)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => i),
  );
});

test("touching too much stops with a message", () => {
  const memory = new Memory(1, 1 << 20);
  const a = memory.addBuffer({ name: "a", element: "i32", init: { kind: "zeros" } });
  expect(() => {
    for (let i = 0; i < 4000; i++) memory.load32(a + i * 1024);
  }).toThrow(MemoryLimit);
});

test("values that tell kinds of arithmetic apart", () => {
  const values = (element: ElementKind, init: InitialValues) => {
    const memory = new Memory(1);
    memory.addBuffer({ name: "a", element, init });
    const bytes = memory.contents("a", 4096 * bytesOf(element));
    return Array.from({ length: 4096 }, (_, i) => readElement(element, bytes, i * bytesOf(element)));
  };
  for (const [element, low] of [
    ["i8", -128],
    ["i16", -32768],
    ["i32", -(2 ** 31)],
    ["i64", -(2 ** 63)],
  ] as const) {
    const wide = values(element, { kind: "wide" });
    expect([Math.min(...wide), wide.includes(0), wide.includes(-1)]).toEqual([low, true, true]);
    expect(Math.max(...wide)).toBeGreaterThan(-low * 0.99);
  }
  expect(values("i32", { kind: "wide", use: "divisor" }).every((x) => Math.abs(x) > 2)).toBe(true);
  const asFloat = Float32Array.from(new Float32Array(Int32Array.from(values("i32", { kind: "wide", use: "bits" })).buffer));
  expect([asFloat.every((x) => Math.abs(x) < 2), asFloat.some((x) => x < -0.5)]).toEqual([true, true]);
  const edges = values("f16", { kind: "edges" });
  expect([edges.some((x) => Object.is(x, -0)), edges.includes(2 ** -24), edges.every(Number.isFinite)]).toEqual([true, true, true]);
  const special = values("f32", { kind: "special", rate: 8 }).filter((x) => !Number.isFinite(x));
  expect(special.length).toBeGreaterThan(400);
  expect(special.length).toBeLessThan(620);
});

test("values depend on the offset, wherever the array begins", () => {
  const values = (alignment: number) => {
    const memory = new Memory(3);
    const a = memory.addBuffer({ name: "a", element: "f32", alignment });
    expect(a % (2 * alignment)).toBe(alignment);
    return Array.from({ length: 1000 }, (_, i) => memory.load32(a + 4 * i));
  };
  expect(values(16)).toEqual(values(2048));
});
