/**
 * The shape and types of a tcgen05.mma are in its instruction descriptor, 32 bits that the code holds as a constant.
 *
 *     tcgen05.mma.cta_group::1.kind::f16 [ $0 + 0 ], $1, $2, $3, $4;      $3 = 0x8200010: 128x128x16, f16 x f16 -> f32
 */
import { byName } from "../../support/by-name.js";
import type { MmaFacts } from "../instruction-facts.js";

type Multiplied = Pick<MmaFacts, "shape" | "types">;

/** The element types of a kind by their numbers, and the depth of the instruction. */
const KINDS: Readonly<Record<string, { readonly types: readonly string[]; readonly k: number }>> = byName({
  f16: { types: ["f16", "bf16"], k: 16 },
  tf32: { types: ["", "", "tf32"], k: 8 },
  f8f6f4: { types: ["e4m3", "e5m2", "", "e2m3", "e3m2", "e2m1"], k: 32 },
  mxf8f6f4: { types: ["e4m3", "e5m2", "", "e2m3", "e3m2", "e2m1"], k: 32 },
  i8: { types: ["u8", "s8"], k: 32 },
  mxf4: { types: ["", "e2m1"], k: 64 },
  mxf4nvf4: { types: ["", "e2m1"], k: 64 },
});

/** Shape and types by the descriptor; undefined for kinds that are not known. Source: MMAv5.cpp, createInstDescriptor. */
export function readDescriptor(kind: string, descriptor: number): Multiplied | undefined {
  const known = KINDS[kind];
  if (!known) return undefined;
  const [m, n] = [((descriptor >> 24) & 0x1f) << 4, ((descriptor >> 17) & 0x3f) << 3];
  const [a = "", b = ""] = [7, 10].map((shift) => known.types[(descriptor >> shift) & 7]);
  // Kinds with scales have other things where the type of the sum is.
  const sums = kind === "i8" ? "s32" : !kind.startsWith("mx") && ((descriptor >> 4) & 3) === 0 ? "f16" : "f32";
  return { shape: [m, n, known.k], types: { a, b, acc: sums } };
}

/** The descriptor of the tcgen05.mma on a line of LLVM dialect, LLVM IR or PTX; `valueOf` knows values by their names. */
export function descriptorOf(line: string, valueOf: (name: string) => number | undefined): number | undefined {
  const operand = /tcgen05\.mma\.\S+\s+\[[^\]]*\],\s*(?:\[[^\]]*\]|[^,]+),\s*[^,]+,\s*([^,;]+)/.exec(line)?.[1]?.trim();
  if (operand === undefined) return undefined;
  const number = /^\$(\d+)$/.exec(operand)?.[1];
  // Inline assembly: the values follow its constraints.
  const value = number === undefined ? operand : /"[^"]*",\s*"[^"]*"\s*\(?([^:)]*)/.exec(line)?.[1]?.split(",")[Number(number)]?.trim();
  const name = value?.split(" ").at(-1);
  return name === undefined ? undefined : /^-?\d+$/.test(name) ? Number(name) : valueOf(name);
}

/** The name and value of a constant of 32 bits that a line makes. */
export function constantOn(line: string): readonly [name: string, value: number] | undefined {
  const match = /(%[\w$.]+) = llvm\.mlir\.constant\((-?\d+) : i32\)|\bmov\.[bsu]32\s+(%r\d+), (-?\d+);/.exec(line);
  return match ? [match[1] ?? match[3]!, Number(match[2] ?? match[4])] : undefined;
}
