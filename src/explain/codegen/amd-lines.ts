/**
 * The instructions of AMD's GPUs on a line of their LLVM dialect. There is no assembly: names say the operation and the bits
 * of a lane, as the LLVM dialect has them. LLVM's backend may still split or join them.
 */
import { type AmdGpu, isCdna } from "../../gpu/amd.js";
import type { FactKind, InstructionFacts, MemorySpace, MmaFacts } from "../instruction-facts.js";
import { constantOn } from "./tcgen05-descriptor.js";

/** Kind and memory of an instruction, by how its name begins; the first that fits. */
const KINDS: readonly (readonly [begins: string, kind: FactKind, space?: MemorySpace])[] = [
  ["buffer_load_lds", "async-copy", "global"],
  ["global_load_lds", "async-copy", "global"],
  ["global_load_async", "async-copy", "global"],
  ["buffer_atomic", "atomic", "global"],
  ["global_atomic", "atomic", "global"],
  ["ds_atomic", "atomic", "shared"],
  ["flat_atomic", "atomic", "generic"],
  ["buffer_load", "load", "global"],
  ["buffer_store", "store", "global"],
  ["global_load", "load", "global"],
  ["global_store", "store", "global"],
  ["scratch_load", "load", "local"],
  ["scratch_store", "store", "local"],
  ["flat_load", "load", "generic"],
  ["flat_store", "store", "generic"],
  ["ds_read_tr", "matrix-load", "shared"],
  ["ds_read", "load", "shared"],
  ["ds_write", "store", "shared"],
  ["mfma", "mma"],
  ["wmma", "mma"],
  ["s_barrier", "barrier"],
  ["wave_barrier", "barrier"],
  ["s_wait", "wait"],
  ["update_dpp", "shuffle"],
  ["ds_swizzle", "shuffle"],
  ["ds_bpermute", "shuffle"],
  ["permlane", "shuffle"],
  ["readlane", "shuffle"],
  ["readfirstlane", "shuffle"],
];

/** Kind and memory of an instruction of AMD's by its name; undefined for any other name. */
export function amdKindOf(name: string): { readonly kind: FactKind; readonly space: MemorySpace | undefined } | undefined {
  const found = KINDS.find(([begins]) => name.startsWith(begins));
  return found && { kind: found[1], space: found[2] };
}

const WORDS = /^(?:vector<(\d+)x)?(?:i|f|bf|f8E\w+?M\w*?)(\d+)>?$/;
/** Bits of a type of the LLVM dialect: `vector<4xf16>`, `i32`, a pointer. */
function bitsOf(type: string): number {
  if (type.startsWith("!llvm.ptr")) return /<[35]>/.test(type) ? 32 : 64;
  const [, count = "1", bits = "0"] = WORDS.exec(type) ?? [];
  return Number(count) * (bits === "1" ? 8 : Number(bits));
}

/** How instructions name the memory of an address space. */
const ADDRESS_SPACES: Readonly<Record<string, string>> = { "1": "global", "3": "ds", "5": "scratch", "7": "buffer" };
function accessName(kind: "load" | "store" | "atomic", pointer: string): string {
  const space = ADDRESS_SPACES[/!llvm\.ptr<(\d+)>/.exec(pointer)?.[1] ?? ""] ?? "flat";
  return `${space}_${space !== "ds" || kind === "atomic" ? kind : kind === "load" ? "read" : "write"}`;
}

/** Reads the lines of a step in their order: what an access does with caches is a constant of an earlier line. */
export class AmdLines {
  readonly #constants = new Map<string, number>();
  constructor(readonly gpu: AmdGpu) {}

  read(line: string): readonly InstructionFacts[] {
    const constant = constantOn(line);
    if (constant) this.#constants.set(...constant);
    const op = /^\s*(?:%[\w$.]+(?::\d+)? = )?(?:llvm\.call_intrinsic "llvm\.amdgcn\.([\w.]+)"|(rocdl|llvm)\.([\w.]+))/.exec(line);
    if (!op) return [];
    const [, intrinsic, dialect, name] = op;
    const text = line.replace(/ loc\(.*$/, "");
    const fact = dialect === "llvm" ? this.access(name!, text) : this.instruction(intrinsic ?? name!, text);
    return fact ? [fact] : [];
  }

  /** An access by a pointer. */
  private access(name: string, line: string): InstructionFacts | undefined {
    const hints = ["volatile", "nontemporal"].filter((hint) => new RegExp(`\\b${hint}\\b`).test(line));
    const types = line.slice(line.lastIndexOf(" : ") + 3);
    if (name === "load") {
      const [pointer, result] = types.split(" -> ");
      return result === undefined ? undefined : moved(accessName("load", pointer!), bitsOf(result), hints);
    }
    if (name === "store") {
      const [, value, pointer] = /^(.*), (!llvm\.ptr.*)$/.exec(types) ?? [];
      return value === undefined ? undefined : moved(accessName("store", pointer!), bitsOf(value), hints);
    }
    const [, pointer, value] = /^(!llvm\.ptr(?:<\d+>)?), (.*)$/.exec(types) ?? [];
    if (value === undefined) return undefined;
    if (name === "cmpxchg") return moved(`${accessName("atomic", pointer!)}_cmpswap`, bitsOf(value), []);
    const kind = /llvm\.atomicrmw (?:volatile )?_?(\w+)/.exec(line)?.[1];
    return name === "atomicrmw" ? moved(`${accessName("atomic", pointer!)}_${kind}`, bitsOf(value), []) : undefined;
  }

  private instruction(name: string, line: string): InstructionFacts | undefined {
    // Operands in brackets belong to intrinsics.
    const operands = (/\(([^)]*)\)/.exec(line.split(" : ")[0]!)?.[1] ?? line.replace(/^.*?rocdl\.\S+ ?/, "").split(/ : | \{/)[0]!).split(
      ", ",
    );
    const buffer = /^raw\.ptr\.buffer\.(.*)$/.exec(name)?.[1];
    if (name === "global.load.lds" || buffer === "load.lds")
      return moved(
        buffer === undefined ? "global_load_lds" : "buffer_load_lds",
        8 * (this.valueOf(operands[2]!) ?? 0),
        this.policy(operands.at(-1)!),
      );
    if (buffer !== undefined) {
      const types = line.slice(line.lastIndexOf(" : ") + 3);
      const type = /^\(([^,)]*)/.exec(types)?.[1] ?? types;
      return moved(`buffer_${buffer.replaceAll(".", "_")}`, bitsOf(type), this.policy(operands.at(-1)!));
    }
    if (/^(?:mfma|wmma)\./.test(name)) return product(name, line, this.gpu);
    if (name.startsWith("ds.read.tr")) return moved(name.split(".").slice(0, 3).join("_"), bitsOf(line.split(" -> ").at(-1)!), []);
    if (name === "barrier" || name === "s.barrier") return plain("s_barrier");
    if (name === "s.waitcnt") return plain(`s_waitcnt ${this.counters(Number(operands[0]))}`);
    if (/^(?:s\.wait|wave\.barrier|update\.dpp|ds_|permlane|readlane|readfirstlane)/.test(name)) return plain(name.replaceAll(".", "_"));
    return undefined;
  }

  private valueOf(operand: string): number | undefined {
    return /^-?\d+$/.test(operand) ? Number(operand) : this.#constants.get(operand);
  }
  /** The cache policy of an access, by the bits of its `aux`: named as MI300's instructions name them. */
  private policy(operand: string): readonly string[] {
    const aux = this.valueOf(operand);
    if (aux === undefined || aux === 0) return [];
    const names = [
      ["sc0", 1],
      ["nt", 2],
      ["sc1", 16],
    ] as const;
    const others = this.gpu.mfma >= 3 ? aux & ~19 : aux;
    return [...names.flatMap(([name, bit]) => (this.gpu.mfma >= 3 && aux & bit ? [name] : [])), ...(others ? [`aux ${others}`] : [])];
  }
  /** The counters that a wait names; those with all bits set are not waited for. Other families have other fields. */
  private counters(bits: number): string {
    if (!isCdna(this.gpu.family)) return String(bits);
    const fields = [
      ["vmcnt", (bits & 15) | ((bits >> 10) & 48), 63],
      ["expcnt", (bits >> 4) & 7, 7],
      ["lgkmcnt", (bits >> 8) & 15, 15],
    ] as const;
    return fields.flatMap(([name, count, most]) => (count === most ? [] : [`${name}(${count})`])).join(" ");
  }
}

function plain(instruction: string): InstructionFacts {
  const { kind, space } = amdKindOf(instruction)!;
  return { kind, space, instruction, widthBits: 0, vector: 0, bytesPerThread: 0, predicate: undefined, modifiers: [], mma: undefined };
}
function moved(name: string, bits: number, modifiers: readonly string[]): InstructionFacts {
  // A width that is not known is not named.
  if (bits === 0) return { ...plain([name, ...modifiers].join(" ")), modifiers };
  const instruction = [name.startsWith("ds_read_tr") ? `${name}_b${bits}` : `${name}.b${bits}`, ...modifiers].join(" ");
  const [widthBits, vector] = [Math.min(bits, 32), Math.max(1, bits / 32)];
  return { ...plain(instruction), widthBits, vector, bytesPerThread: bits / 8, modifiers };
}

/** `mfma.f32.32x32x8f16`: the sum's type, the shape, the operands' types. Fragments are a lane's. */
function product(name: string, line: string, { warpSize }: AmdGpu): InstructionFacts | undefined {
  const [, family, acc, m, n, k, rest] = /^(mfma|wmma)\.(?:scale\.)?(\w+)\.(\d+)x(\d+)x(\d+)\.?(.*?)(?:\.tied)?$/.exec(name) ?? [];
  // Operands of a bit, and formats and scales, are no matrices.
  const types = (/ : \((.*)\) -> /.exec(line)?.[1] ?? "").split(", ");
  const [a, b, sum] =
    family === "wmma" ? types.filter((type) => type.startsWith("vector") || (type === "i32" && !name.includes("scale"))) : types;
  if (acc === undefined || sum === undefined) return undefined;
  const registers = { a: bitsOf(a!) / 32, b: bitsOf(b!) / 32, acc: bitsOf(sum) / 32 };
  const [typeA, typeB = typeA] = rest!.replace(".1k", "").split(".");
  const shape = [Number(m), Number(n), Number(k)] as const;
  const blocks = (bitsOf(sum) / Number(acc.slice(1))) * (warpSize / (shape[0] * shape[1]));
  const mma: MmaFacts = {
    family: family as "mfma" | "wmma",
    shape,
    blocks: Math.max(1, Math.round(blocks)),
    types: { a: typeA!, b: typeB!, acc },
    registers,
  };
  return { ...plain(name.replaceAll(".", "_")), mma };
}
