/** Reads one PTX instruction as far as memory, tensor cores and synchronization are concerned. */
import type { InstructionFacts, MemorySpace, MmaFacts } from "../instruction-facts.js";

const TYPE = /^(?:(?:b|u|s|f|bf|tf)(\d+)(x\d)?|e\dm\d\w*)$/;

/** The facts of `@%p1 ld.global.v4.b32 {...}, [...]`; undefined for arithmetic, and for loads of parameters. */
export function readInstruction(text: string): InstructionFacts | undefined {
  const match = /^\{?\s*(@!?[%$]?\w+\s+)?([a-z][\w.:]*)\s*(.*)$/s.exec(text.replace(/;\s*(?:\/\/.*)?$/, ""));
  if (!match) return undefined;
  const [, guard, mnemonic, operands] = match as unknown as [string, string | undefined, string, string];
  const parts = mnemonic.split(".");
  const fact = byName(parts, mnemonic, operands);
  if (!fact) return undefined;
  const predicate = guard?.trim();
  return predicate === undefined ? fact : { ...fact, predicate };
}

function byName(parts: readonly string[], mnemonic: string, operands: string): InstructionFacts | undefined {
  const [head, second] = parts;
  switch (head) {
    case "ld":
    case "st":
      return memoryAccess(parts, mnemonic);
    case "atom":
    case "red":
      return { ...memoryAccess(parts, mnemonic)!, kind: "atomic" };
    case "cp":
      return second === "async" ? asyncCopy(parts, mnemonic, operands) : undefined;
    case "ldmatrix":
    case "stmatrix":
      return matrixAccess(head, parts, mnemonic);
    case "mma":
      return matrixMultiply("mma", parts, mnemonic, operands);
    case "wgmma":
      return second === "mma_async"
        ? matrixMultiply("wgmma", parts, mnemonic, operands)
        : synchronization("wait", `${mnemonic} ${operands}`);
    case "tcgen05":
      return tensorMemory(parts, mnemonic);
    case "bar":
    case "barrier":
      return synchronization("barrier", `${mnemonic} ${operands}`);
    case "mbarrier":
      return synchronization(second === "try_wait" || second === "test_wait" ? "wait" : "barrier", mnemonic);
    case "fence":
    case "membar":
      return synchronization("barrier", mnemonic);
    case "wave":
      return second === "mfma" ? waveProduct(parts, mnemonic) : undefined;
    case "shfl":
    case "redux":
      return synchronization("shuffle", mnemonic);
    default:
      return undefined;
  }
}

function synchronization(kind: InstructionFacts["kind"], instruction: string): InstructionFacts {
  return {
    kind,
    space: undefined,
    instruction: instruction.trim(),
    widthBits: 0,
    vector: 0,
    bytesPerThread: 0,
    predicate: undefined,
    modifiers: [],
    mma: undefined,
  };
}

function spaceOf(parts: readonly string[]): MemorySpace {
  for (const part of parts) {
    const space = part.split("::")[0]!;
    if (space === "global" || space === "shared" || space === "local" || space === "param") return space;
  }
  return "generic";
}

/** Everything that is not the operation, the space, the vector or the type: caches, eviction, order, scope. */
function modifiersOf(parts: readonly string[]): string[] {
  return parts
    .slice(1)
    .filter(
      (part) =>
        !/^(?:global|shared|local|param|v\d|sync|aligned)(?:$|::)/.test(part) &&
        !(TYPE.test(part) && /\d/.test(part) && !part.includes("::")),
    );
}

function memoryAccess(parts: readonly string[], mnemonic: string): InstructionFacts | undefined {
  const space = spaceOf(parts.slice(1));
  if (space === "param") return undefined;
  const type = [...parts].reverse().find((part) => TYPE.test(part));
  const widthBits = typeBits(type ?? "b32");
  const vector = Number(parts.find((part) => /^v\d$/.test(part))?.slice(1) ?? 1);
  return {
    kind: parts[0] === "st" ? "store" : "load",
    space,
    instruction: mnemonic,
    widthBits,
    vector,
    bytesPerThread: (widthBits * vector) / 8,
    predicate: undefined,
    modifiers: modifiersOf(parts),
    mma: undefined,
  };
}

/** `f16x2` has 32 bits. */
function typeBits(type: string): number {
  const [, bits, packed] = TYPE.exec(type) ?? [];
  return Number(bits ?? 32) * Number(packed?.slice(1) ?? 1);
}

function asyncCopy(parts: readonly string[], mnemonic: string, operands: string): InstructionFacts {
  if (parts.includes("commit_group") || parts.includes("wait_group") || parts.includes("wait_all"))
    return synchronization("wait", `${mnemonic} ${operands}`);
  if (parts[2] === "mbarrier") return synchronization("barrier", mnemonic);
  const bulk = parts[2] === "bulk";
  const list = operands
    .replace(/\[[^\]]*\]/g, "[]")
    .split(",")
    .map((o) => o.trim());
  const bytes = bulk ? 0 : Number(list[2] ?? 0);
  return {
    kind: bulk ? "tma" : "async-copy",
    space: bulk && !parts.some((p) => p.startsWith("shared")) ? "global" : "shared",
    instruction: mnemonic,
    widthBits: bytes === 0 ? 0 : 32,
    vector: bytes / 4,
    bytesPerThread: bytes,
    predicate: list.length > 3 && !bulk ? "zero-fill" : undefined,
    modifiers: modifiersOf(parts.slice(1)).filter((m) => m !== "bulk" && m !== "tensor"),
    mma: undefined,
  };
}

function matrixAccess(head: "ldmatrix" | "stmatrix", parts: readonly string[], mnemonic: string): InstructionFacts {
  const num = Number(parts.find((part) => /^x\d$/.test(part))?.slice(1) ?? 1);
  return {
    ...synchronization(head === "ldmatrix" ? "matrix-load" : "matrix-store", mnemonic),
    space: "shared",
    widthBits: 32,
    vector: num,
    bytesPerThread: 4 * num,
    modifiers: parts.includes("trans") ? ["trans"] : [],
  };
}

function matrixMultiply(family: "mma" | "wgmma", parts: readonly string[], mnemonic: string, operands: string): InstructionFacts {
  const shape = parts.map((part) => /^m(\d+)n(\d+)k(\d+)$/.exec(part)).find((m) => m !== null);
  const types = parts.filter((part) => TYPE.test(part));
  // mma names d, a, b, c; wgmma d, a, b.
  const [acc = "", a = "", b = a] = types;
  const groups = [...operands.matchAll(/\{([^}]*)\}/g)].map((m) => m[1]!.split(",").length);
  const registers =
    family === "mma" ? { acc: groups[0] ?? 0, a: groups[1] ?? 0, b: groups[2] ?? 0 } : { acc: groups[0] ?? 0, a: groups[1] ?? 0, b: 0 };
  const mma: MmaFacts = {
    family,
    shape: shape ? [Number(shape[1]), Number(shape[2]), Number(shape[3])] : undefined,
    types: { a, b, acc },
    registers,
  };
  return {
    ...synchronization("mma", mnemonic),
    modifiers: parts.filter((p) => p === "row" || p === "col" || p === "satfinite" || p === "sp"),
    mma,
  };
}

/** `wave.mfma.32x32x8x1.f32.f16.f16`, in the text that is executed of AMD's code: m, n, k and products, then the types of the sum and of both operands. */
function waveProduct([, , extents = "", acc = "", a = "", b = ""]: readonly string[], mnemonic: string): InstructionFacts {
  const [m = 0, n = 0, k = 0, blocks = 1] = extents.split("x").map(Number);
  const registers = { acc: 0, a: 0, b: 0 };
  return { ...synchronization("mma", mnemonic), mma: { family: "mfma", shape: [m, n, k], blocks, types: { a, b, acc }, registers } };
}

function tensorMemory(parts: readonly string[], mnemonic: string): InstructionFacts | undefined {
  const second = parts[1]?.split("::")[0];
  if (second === "mma") {
    const kind = parts.find((part) => part.startsWith("kind::"))?.slice(6) ?? "";
    return {
      ...synchronization("mma", mnemonic),
      modifiers: parts.filter((p) => p.includes("::")),
      mma: { family: "tcgen05", shape: undefined, types: { a: kind, b: kind, acc: "" }, registers: { a: 0, b: 0, acc: 0 } },
    };
  }
  if (second === "ld" || second === "st") {
    const num = Number(parts.find((part) => /^x\d+$/.test(part))?.slice(1) ?? 1);
    const registers = num * (parts.includes("16x256b") ? 4 : parts.includes("16x128b") ? 2 : 1);
    return {
      ...synchronization(second === "ld" ? "load" : "store", mnemonic),
      space: "tensor",
      widthBits: 32,
      vector: registers,
      bytesPerThread: 4 * registers,
      modifiers: parts.filter((p) => p === "unpack::16b" || p === "pack::16b"),
    };
  }
  if (second === "cp") {
    // One thread has them all copied.
    const [, rows = 0, bits = 0] = parts.map((part) => /^(\d+)x(\d+)b$/.exec(part)).find((m) => m !== null) ?? [];
    const bytes = (Number(rows) * Number(bits)) / 8;
    return {
      ...synchronization("async-copy", mnemonic),
      space: "tensor",
      widthBits: 32,
      vector: bytes / 4,
      bytesPerThread: bytes,
      modifiers: parts.filter((p) => p.startsWith("warpx")),
    };
  }
  if (second === "wait" || second === "fence" || second === "commit") return synchronization("wait", mnemonic);
  return undefined;
}
