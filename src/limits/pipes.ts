/**
 * The unit of an SM that an instruction of PTX is issued to, and how many machine instructions it becomes. Moves, conversions of address
 * spaces and loads of parameters become none: they are operands of other instructions. Longer sequences (divisions, 64-bit arithmetic)
 * are counted as ptxas makes them. Integer arithmetic is an estimate: ptxas moves much of it out of loops and into addresses.
 */
import type { Pipe, TensorKind } from "../gpu/products.js";

/** Pipes whose instructions ptxas keeps as many as there are in PTX. */
export const COUNTED: ReadonlySet<Pipe> = new Set(["fma", "half", "fp64", "sfu", "lsu", "tensor"]);

/** Machine instructions of one PTX instruction, by pipe. */
export type Slots = Readonly<Partial<Record<Pipe, number>>>;

const NONE: Slots = {};
const LSU = new Set(["ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "shfl", "cp", "movmatrix", "match"]);
const SFU = new Set(["ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"]);
const FREE = new Set(["mov", "cvta", "createpolicy", "pragma", "setmaxnreg", "griddepcontrol", "isspacep"]);
const BRANCHES = new Set([
  "bra",
  "brx",
  "ret",
  "exit",
  "bar",
  "barrier",
  "call",
  "trap",
  "fence",
  "membar",
  "mbarrier",
  "nanosleep",
  "elect",
]);
const TENSOR = new Set(["mma", "wgmma", "tcgen05"]);

/** The slots of an instruction by its mnemonic: `fma.rn.f32`. */
export function slotsOf(mnemonic: string): Slots {
  const parts = mnemonic.split(".");
  const [opcode = ""] = parts;
  if (FREE.has(opcode) || (opcode === "ld" && parts[1]?.startsWith("param"))) return NONE;
  if (LSU.has(opcode)) return { lsu: 1 };
  if (TENSOR.has(opcode)) return isProduct(parts) ? { tensor: 1 } : { branch: 1 };
  if (BRANCHES.has(opcode)) return { branch: 1 };
  const type = parts.findLast((p) => /^(?:b|u|s|f|bf|tf)\d+(?:x2)?$|^e\dm\d/.test(p)) ?? "b32";
  const isWide = /64$/.test(type);
  if (SFU.has(opcode)) return type === "f64" ? { fp64: 8, sfu: 1 } : { sfu: 1 };
  if (opcode === "cvt") return conversion(parts);
  if (/^(?:f|bf)16(?:x2)?$/.test(type)) return opcode === "setp" || opcode === "selp" ? { alu: 1 } : { half: 1 };
  if (type === "f64") return opcode === "div" ? { fp64: 10, sfu: 1 } : { fp64: 1 };
  if (type === "f32") {
    // One reciprocal serves all divisions by the same number, so it is not counted.
    if (opcode === "div") return { fma: 1, alu: 4 };
    return opcode === "add" || opcode === "sub" || opcode === "mul" || opcode === "fma" || opcode === "mad" ? { fma: 1 } : { alu: 1 };
  }
  if (opcode === "mul" || opcode === "mad" || opcode === "madc")
    return { imul: parts.includes("wide") ? 1 : isWide ? 4 : parts.includes("hi") ? 2 : 1 };
  if (opcode === "div" || opcode === "rem") return isWide ? { alu: 60, imul: 20, sfu: 2 } : { alu: 10, imul: 4, sfu: 1 };
  if (opcode === "popc" || opcode === "clz" || opcode === "bfind" || opcode === "brev") return { sfu: 1 };
  return { alu: isWide ? 2 : 1 };
}

/** Conversions between integers and floats, and of 64 bits, are done beside the special functions; others move or round bits. */
function conversion(parts: readonly string[]): Slots {
  const types = parts.filter((p) => /^(?:b|u|s|f|bf|tf)\d+(?:x2)?$|^e\dm\d/.test(p));
  const [to = "", from = ""] = types;
  const isFloat = (t: string) => /^(?:f|bf|tf|e\d)/.test(t);
  if (to === "f64" || from === "f64") return { sfu: 1 };
  if (!isFloat(to) && !isFloat(from)) return /64$/.test(to) && !/64$/.test(from) ? { alu: 1 } : NONE;
  return isFloat(to) && isFloat(from) ? { alu: 1 } : { sfu: 1 };
}

const isProduct = (parts: readonly string[]): boolean =>
  parts[0] === "mma" || (parts[0] === "wgmma" && parts[1] === "mma_async") || (parts[0] === "tcgen05" && parts[1] === "mma");

/** The rate that a product runs at, by the types that its instruction names. */
export function tensorKind(a: string, acc: string): TensorKind {
  if (a === "f64") return "f64";
  if (a === "tf32") return "tf32";
  if (/^[su]\d+$|^i8$|^b1$/.test(a)) return "int8";
  if (/^e2m1/.test(a) || a === "mxf4" || a === "mxf4nvf4") return "fp4";
  if (/^e\dm\d|^f8f6f4$|^mxf8f6f4$/.test(a)) return acc === "f16" ? "fp8 acc16" : "fp8";
  return acc === "f16" ? "f16 acc16" : "f16";
}
