/** The machine instructions on a line of LLVM dialect, LLVM IR or PTX. */
import { byName } from "../../support/by-name.js";
import type { InstructionFacts, MemorySpace } from "../instruction-facts.js";
import { readInstruction } from "./ptx-instruction.js";

/** The facts of the line's instructions; most lines have none. `packs`: llc takes halves and bytes that fill words as words, as it does since LLVM 21. */
export function readLine(line: string, packs = false): InstructionFacts[] {
  const asm = line.includes("asm") ? /(?:inline_asm|asm sideeffect|\basm)\b[^"]*"((?:[^"\\]|\\.)*)"/.exec(line) : null;
  if (asm) return readAssembly(asm[1]!);
  const start = line.search(/\S/);
  if (start < 0) return [];
  const mlir = /^\s*(?:%[\w$.]+(?::\d+)? = )?"?((?:llvm|nvvm)\.[\w.]+)"?/.exec(line);
  if (mlir) return present(readMlirOp(mlir[1]!, line, packs));
  if (/^\s*(?:%[\w$.-]+ = )?(?:tail )?(?:load|store|call|atomicrmw|cmpxchg)\b/.test(line)) return present(readLlvmIr(line));
  // PTX: an instruction with an optional guard, ended by a semicolon.
  if (/^\s*(?:@!?%?\w+\s+)?[a-z][\w.:]*[\s;]/.test(line) && line.includes(";")) return present(readInstruction(line.slice(start)));
  return [];
}

const present = (fact: InstructionFacts | undefined): InstructionFacts[] => (fact ? [fact] : []);

/** The instructions of an inline assembly string, as MLIR or LLVM escape it. */
function readAssembly(text: string): InstructionFacts[] {
  const plain = text
    .replace(/\\(0A|09|n|t|22|5C)/gi, (_, code: string) => (code === "22" ? '"' : /^(?:0A|n)$/i.test(code) ? "\n" : " "))
    .replace(/\/\/.*/g, "");
  // Braces, labels and comments come before instructions.
  return plain.split(";").flatMap((part) => present(readInstruction(part.replace(/^(?:[\s{]|\w+:(?=\s))+(?=[@a-z])/i, "").trim())));
}

const SPACES: Readonly<Record<string, MemorySpace>> = { "0": "generic", "1": "global", "3": "shared", "5": "local", "6": "tensor" };
const spaceOf = (line: string): MemorySpace =>
  SPACES[/!llvm\.ptr<(?:.*, )?(\d+)>|addrspace\((\d+)\)/.exec(line)?.slice(1).find(Boolean) ?? "0"] ?? "generic";

/** The pointee type of an older LLVM's pointer `!llvm.ptr<vector<2xf32>, 3>`; undefined for pointers without one. */
const pointee = (type: string): string | undefined => /^!llvm\.ptr<(?!\d+>)(.+?)(?:, \d+)?>$/.exec(type)?.[1];

function access(kind: "load" | "store", space: MemorySpace, elements: number, elementBits: number, packs = false): InstructionFacts {
  // No instruction takes more than four parts: halves and bytes go as words.
  const fill = packs && elementBits < 32 && (elements * elementBits) % 32 === 0;
  const [count, bits] = elements > 4 || fill ? [Math.max(1, (elements * elementBits) / 32), 32] : [elements, elementBits];
  const vector = count > 1 ? `.v${count}` : "";
  return {
    kind,
    space,
    instruction: `${kind === "load" ? "ld" : "st"}${space === "generic" ? "" : `.${space}`}${vector}.b${bits}`,
    widthBits: bits,
    vector: count,
    bytesPerThread: (bits * count) / 8,
    predicate: undefined,
    modifiers: [],
    mma: undefined,
  };
}

/** `vector<4xi16>`, `<4 x i16>`, `f32`: words and their bits. */
function typeSize(text: string): readonly [count: number, bits: number] | undefined {
  const vector = /^(?:vector)?<(\d+) ?x ?(\S+?)>/.exec(text);
  const element = vector ? vector[2]! : text;
  const bits =
    element.startsWith("!llvm.ptr") || element.startsWith("ptr")
      ? 64
      : element === "bf16" || element === "half" || element === "bfloat"
        ? 16
        : element === "float"
          ? 32
          : element === "double"
            ? 64
            : Number(/^[if](\d+)/.exec(element)?.[1] ?? 0);
  return bits > 0 ? [vector ? Number(vector[1]) : 1, bits === 1 ? 8 : bits] : undefined;
}

const plain = (kind: InstructionFacts["kind"], instruction: string, space?: MemorySpace, bytes = 0, vector = 0): InstructionFacts => ({
  kind,
  space,
  instruction,
  widthBits: bytes === 0 ? 0 : 32,
  vector,
  bytesPerThread: bytes,
  predicate: undefined,
  modifiers: [],
  mma: undefined,
});

/** The PTX operations that llc emits for LLVM's atomic operations, without the bits. */
const ATOMICS: Readonly<Record<string, string>> = byName({
  xchg: "exch.b",
  add: "add.u",
  _and: "and.b",
  _or: "or.b",
  _xor: "xor.b",
  max: "max.s",
  min: "min.s",
  umax: "max.u",
  umin: "min.u",
  fadd: "add.f",
});

function readMlirOp(name: string, line: string, packs: boolean): InstructionFacts | undefined {
  switch (name) {
    case "llvm.load": {
      const [, pointer = "", result] = /.* : (.+?)(?: -> (\S.*?))?(?: loc\(.*)?$/.exec(line) ?? [];
      const size = typeSize(result ?? pointee(pointer) ?? "");
      return size && access("load", spaceOf(pointer), ...size, packs);
    }
    case "llvm.store": {
      const types = /.* : (.+?)(?: loc\(.*)?$/.exec(line)?.[1] ?? "";
      const size = typeSize(pointee(types) ?? types);
      return size && access("store", spaceOf(types), ...size, packs);
    }
    case "llvm.atomicrmw": {
      const [, kind, type] = /llvm\.atomicrmw (?:volatile )?(\w+) .*, (\w+)(?: loc\(.*)?$/.exec(line) ?? [];
      const space = spaceOf(line);
      return plain("atomic", `atom.${space}.${ATOMICS[kind!] ?? `${kind}.b`}${/\d+$/.exec(type ?? "")?.[0] ?? ""}`, space);
    }
    case "llvm.cmpxchg":
      return plain("atomic", `atom.${spaceOf(line)}.cas`, spaceOf(line));
    case "nvvm.ldmatrix":
    case "nvvm.stmatrix": {
      const words = / : !llvm\.ptr<3>((?:, i32)+)/.exec(line)?.[1] ?? /\bllvm\.struct<\(([^)]*)\)>/.exec(line)?.[1];
      const num = Number(/\bnum = (\d+)/.exec(line)?.[1] ?? words?.match(/i32/g)?.length ?? 1);
      const transposed = /mma_layout<col>/.test(line) ? ".trans" : "";
      const [kind, mnemonic] = name === "nvvm.ldmatrix" ? (["matrix-load", "ldmatrix"] as const) : (["matrix-store", "stmatrix"] as const);
      return plain(kind, `${mnemonic}.sync.aligned.m8n8.x${num}${transposed}.shared.b16`, "shared", 4 * num, num);
    }
    case "nvvm.barrier0":
    case "nvvm.barrier":
      return plain("barrier", "bar.sync 0");
    case "nvvm.bar.warp.sync":
      return plain("barrier", "bar.warp.sync");
    case "nvvm.shfl.sync":
      return plain("shuffle", `shfl.sync.${/nvvm\.shfl\.sync +(\w+)/.exec(line)?.[1] ?? "idx"}.b32`);
    case "nvvm.redux.sync":
      return plain("shuffle", `redux.sync.${/nvvm\.redux\.sync +(\w+)/.exec(line)?.[1] ?? "add"}`);
    case "nvvm.cp.async.commit.group":
      return plain("wait", "cp.async.commit_group");
    case "nvvm.cp.async.wait.group":
      return plain("wait", `cp.async.wait_group ${/wait\.group (\d+)/.exec(line)?.[1] ?? "0"}`);
    case "nvvm.cp.async.bulk.commit.group":
      return plain("wait", "cp.async.bulk.commit_group");
    case "nvvm.cp.async.bulk.wait_group":
      return plain(
        "wait",
        `cp.async.bulk.wait_group${line.includes("{read}") ? ".read" : ""} ${/wait_group (\d+)/.exec(line)?.[1] ?? "0"}`,
      );
    case "nvvm.cluster.arrive":
    case "nvvm.cluster.arrive.relaxed":
    case "nvvm.cluster.wait":
      return plain("barrier", `barrier.${name.slice("nvvm.".length)}${line.includes("{aligned}") ? ".aligned" : ""}`);
    case "nvvm.wgmma.fence.aligned":
      return plain("wait", "wgmma.fence.sync.aligned");
    case "nvvm.wgmma.commit.group.sync.aligned":
      return plain("wait", "wgmma.commit_group.sync.aligned");
    case "nvvm.wgmma.wait.group.sync.aligned":
      return plain("wait", `wgmma.wait_group.sync.aligned ${/aligned (\d+)/.exec(line)?.[1] ?? "0"}`);
    case "nvvm.tcgen05.wait":
      return plain("wait", `tcgen05.wait::${/<(load|store)>/.exec(line)?.[1] === "store" ? "st" : "ld"}.sync.aligned`);
    default:
      return undefined;
  }
}

function readLlvmIr(line: string): InstructionFacts | undefined {
  const load = /= (?:tail )?load (?:volatile )?(<[^>]*>|\w+), ptr/.exec(line);
  if (load) {
    const size = typeSize(load[1]!);
    return size && access("load", spaceOf(line), ...size);
  }
  const store = /^\s*store (?:volatile )?(<[^>]*>|\w+) /.exec(line);
  if (store) {
    const size = typeSize(store[1]!);
    return size && access("store", spaceOf(line), ...size);
  }
  if (/\b(?:atomicrmw|cmpxchg)\b/.test(line)) return plain("atomic", "atom", spaceOf(line));
  const name = /@llvm\.nvvm\.([\w.]+)/.exec(line)?.[1];
  if (name === undefined) return undefined;
  if (name.startsWith("barrier")) return plain("barrier", "bar.sync 0");
  if (name.startsWith("bar.warp")) return plain("barrier", "bar.warp.sync");
  if (name.startsWith("shfl.sync")) return plain("shuffle", `shfl.sync.${name.split(".")[2] ?? "idx"}.b32`);
  if (name.startsWith("redux.sync")) return plain("shuffle", `redux.sync.${name.split(".")[2] ?? "add"}`);
  const matrix = /^ldmatrix\.sync\.aligned\.m8n8\.x(\d)(\.trans)?/.exec(name);
  if (matrix)
    return plain(
      "matrix-load",
      `ldmatrix.sync.aligned.m8n8.x${matrix[1]}${matrix[2] ?? ""}.shared.b16`,
      "shared",
      4 * Number(matrix[1]),
      Number(matrix[1]),
    );
  if (name.startsWith("cp.async.commit")) return plain("wait", "cp.async.commit_group");
  if (name.startsWith("cp.async.wait")) return plain("wait", `cp.async.wait_group ${/i32 (\d+)/.exec(line)?.[1] ?? "0"}`);
  return undefined;
}
