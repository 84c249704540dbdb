/** Vectorized accesses of the article on data alignment (seed 002), in today's IR and PTX. Its AxisInfo: analysis/axis-info.test.ts. */
import { expect, test } from "vitest";
import { main } from "../cli/tt-step.js";
import { memoryIo } from "./memory-io.js";

interface Kernel {
  readonly element?: string;
  readonly size?: number;
  /** Attributes of the pointer, of its offset and of the tensor of offsets. */
  readonly pointer?: string;
  readonly base?: string;
  readonly hint?: string;
  readonly load?: string;
}

/** Copies elements from `p + o ...` to `q ...`. */
function ttir({ element = "f32", size = 1024, pointer = "{tt.divisibility = 16 : i32}", base = "", hint = "", load = "" }: Kernel): string {
  return `module {
  tt.func public @f(%p: !tt.ptr<${element}> ${pointer}, %q: !tt.ptr<${element}> {tt.divisibility = 16 : i32}, %o: i32 ${base}) {
    %r = tt.make_range {end = ${size} : i32, start = 0 : i32} : tensor<${size}xi32>
    %s = tt.splat %o : i32 -> tensor<${size}xi32>
    %i = arith.addi %s, %r ${hint} : tensor<${size}xi32>
    %ps = tt.splat %p : !tt.ptr<${element}> -> tensor<${size}x!tt.ptr<${element}>>
    %pp = tt.addptr %ps, %i : tensor<${size}x!tt.ptr<${element}>>, tensor<${size}xi32>
    %x = tt.load %pp ${load} : tensor<${size}x!tt.ptr<${element}>>
    %qs = tt.splat %q : !tt.ptr<${element}> -> tensor<${size}x!tt.ptr<${element}>>
    %qp = tt.addptr %qs, %r : tensor<${size}x!tt.ptr<${element}>>, tensor<${size}xi32>
    tt.store %qp, %x : tensor<${size}x!tt.ptr<${element}>>
    tt.return
  }
}
`;
}
async function emitted(kernel: Kernel, kind: string, ...options: readonly string[]): Promise<string> {
  const io = memoryIo("", { "k.ttir": ttir(kernel) });
  expect(await main(["k.ttir", "--target", "cuda:80", "--emit", kind, ...options], io), io.err()).toBe(0);
  return io.out();
}
const loads = async (kernel: Kernel, ...options: readonly string[]) =>
  (await emitted(kernel, "ptx", ...options)).match(/ld\.(?:volatile\.)?global\.\S+/g)!.map((text) => text.replace(/^ld\./, ""));
const DIVISIBLE = "{tt.divisibility = 16 : i32}";

test("the width is min(contiguity, divisibility, elements of a thread)", async () => {
  expect(await loads({ size: 1024, base: DIVISIBLE })).toEqual(["global.v4.b32", "global.v4.b32"]);
  // 256 elements on 128 threads: two a thread.
  expect(await loads({ size: 256, base: DIVISIBLE })).toEqual(["global.v2.b32"]);
  // Fewer elements than threads.
  expect(await loads({ size: 64, base: DIVISIBLE })).toEqual(["global.b32"]);
  expect(await loads({ size: 256, base: "{tt.divisibility = 1 : i32}" })).toEqual(["global.b32", "global.b32"]);
});

test("divisibility counts bytes of pointers and elements of offsets", async () => {
  // 16 bytes are eight halves; an offset divisible by 4 leaves four of them, in two words.
  expect(await loads({ element: "f16", base: DIVISIBLE })).toEqual(["global.v4.b32"]);
  expect(await loads({ element: "f16", base: "{tt.divisibility = 4 : i32}" })).toEqual(["global.v2.b32", "global.v2.b32"]);
  expect(await loads({ element: "f16", base: DIVISIBLE, pointer: "{tt.divisibility = 4 : i32}" })).toEqual(Array(4).fill("global.b32"));
});

test("tl.multiple_of and tl.max_contiguous are attributes of the op, and stay", async () => {
  const hint = "{tt.divisibility = dense<4> : tensor<1xi32>}";
  expect(await emitted({ element: "f16", hint }, "ttgir")).toContain(`arith.addi %1, %0 ${hint} :`);
  expect(await loads({ element: "f16", hint })).toEqual(["global.v2.b32", "global.v2.b32"]);
  expect(await loads({ element: "f16" })).toEqual(Array(8).fill("global.b16"));
});

test("modifiers of ld, in the order of the article's builder", async () => {
  const one = (load: string) => loads({ size: 128, base: DIVISIBLE, load });
  expect(await one("cacheModifier = ca")).toEqual(["global.ca.b32"]);
  expect(await one("cacheModifier = cg")).toEqual(["global.cg.b32"]);
  expect(await one("{isVolatile = true}")).toEqual(["volatile.global.b32"]);
  // Since 3.x the policy is L2's, and an operand of its own; the article has L1::cache_hint.
  expect(await one("evictionPolicy = evict_first")).toEqual(["global.L1::evict_first.L2::cache_hint.b32"]);
  expect(await one("evictionPolicy = evict_last")).toEqual(["global.L1::evict_last.L2::cache_hint.b32"]);
});

test("all ones are right and slow: single elements, the same result", async () => {
  const kernel = { base: DIVISIBLE };
  expect(await loads(kernel, "--pessimistic-axis-info")).toEqual(Array(8).fill("global.b32"));
  const launch = JSON.stringify({
    grid: [1, 1, 1],
    args: { p: { dtype: "fp32", shape: [1040], init: "randn", seed: 1 }, q: { dtype: "fp32", shape: [1024], init: "zeros" }, o: 16 },
  });
  const result = async (...options: readonly string[]) => {
    const io = memoryIo("", { "k.ptx": await emitted(kernel, "ptx", ...options), l: launch });
    expect(await main(["run", "k.ptx", "--launch", "l", "--out", "d"], io), io.err()).toBe(0);
    return io.written.get("d/q.npy");
  };
  expect(await result("--pessimistic-axis-info")).toBe(await result());
});

test("an access wider than the array's end is out of bounds", async () => {
  const args = { p: { dtype: "fp32", shape: [1022], init: "zeros" }, q: { dtype: "fp32", shape: [1024], init: "zeros" }, o: 0 };
  const io = memoryIo("", { "k.ptx": await emitted({ base: DIVISIBLE }, "ptx"), l: JSON.stringify({ grid: [1, 1, 1], args }) });
  expect(await main(["run", "k.ptx", "--launch", "l"], io)).toBe(1);
  expect(io.err()).toContain("out-of-bounds: thread 127: address 0x1800000ff0: byte 4080 of 'p' (element 1020), which has 4088 bytes");
});
