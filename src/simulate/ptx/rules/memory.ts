/** Loads and stores of every space, parameters, matrices in shared memory, hints. */
import type { Operand } from "../../../ptx/instruction.js";
import { type Addresses, access, addressing, countShared, type LaneAccess, type Space, sharedRequest } from "../access.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { lanes, type Step } from "../lanes.js";
import { bitsOfType } from "../scope.js";
import type { Warp } from "../warp.js";

export function spaceOf(c: InstructionCompiler): Space | "param" {
  const space = c.op.modifiers.find((m) => /^(?:global|shared|local|param|const)\b/.test(m))?.split("::")[0];
  if (space === undefined) return "generic";
  return space === "const" ? "global" : (space as Space | "param");
}

const elementsOf = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);

export const ld: Rule = (c) => {
  const { type } = c;
  const bits = bitsOfType(type);
  if (bits === 128) throw new NotModelled("128-bit registers");
  const targets = elementsOf(c.operand(0));
  const space = spaceOf(c);
  if (space === "param") return loadParam(c, targets, type);
  const bytes = bits / 8;
  const where = addressing(c, c.operand(1));
  const rows = targets.map((t) => c.dest(t, bits, type.startsWith("s")));
  c.emit(access(c, space, where, bytes * targets.length, "read", loader(rows, bytes)));
};

/** Reads elements of that many bytes into the rows. */
function loader(rows: readonly number[], bytes: number): LaneAccess {
  const [row = 0, second = 0] = rows;
  const count = rows.length;
  if (bytes === 4 && count === 1) return ({ I }, l, { i32 }, at) => void (I[row + l] = i32[at >> 2]!);
  if (bytes === 4)
    return ({ I }, l, { i32 }, at) => {
      for (let e = 0; e < count; e++) I[rows[e]! + l] = i32[(at >> 2) + e]!;
    };
  if (bytes === 8)
    return ({ I }, l, { i32 }, at) => {
      for (let e = 0; e < count; e++) {
        I[rows[e]! + 2 * l] = i32[(at >> 2) + 2 * e]!;
        I[rows[e]! + 2 * l + 1] = i32[(at >> 2) + 2 * e + 1]!;
      }
    };
  if (bytes === 2 && count === 2)
    return ({ I }, l, { u16 }, at) => {
      I[row + l] = u16[at >> 1]!;
      I[second + l] = u16[(at >> 1) + 1]!;
    };
  if (bytes === 2)
    return ({ I }, l, { u16 }, at) => {
      for (let e = 0; e < count; e++) I[rows[e]! + l] = u16[(at >> 1) + e]!;
    };
  return ({ I }, l, { u8 }, at) => {
    for (let e = 0; e < count; e++) I[rows[e]! + l] = u8[at + e]!;
  };
}

export const st: Rule = (c) => {
  const bits = bitsOfType(c.type);
  if (bits === 128) throw new NotModelled("128-bit registers");
  const values = elementsOf(c.operand(1));
  const space = spaceOf(c);
  if (space === "param") return storeParam(c, values, bits);
  const bytes = bits / 8;
  const where = addressing(c, c.operand(0));
  const rows = values.map((v) => c.source(v, bits));
  c.emit(access(c, space, where, bytes * values.length, "write", storer(rows, bytes)));
};

function storer(rows: readonly number[], bytes: number): LaneAccess {
  const count = rows.length;
  if (bytes === 4)
    return ({ I }, l, { i32 }, at) => {
      for (let e = 0; e < count; e++) i32[(at >> 2) + e] = I[rows[e]! + l]!;
    };
  if (bytes === 8)
    return ({ I }, l, { i32 }, at) => {
      for (let e = 0; e < count; e++) {
        i32[(at >> 2) + 2 * e] = I[rows[e]! + 2 * l]!;
        i32[(at >> 2) + 2 * e + 1] = I[rows[e]! + 2 * l + 1]!;
      }
    };
  if (bytes === 2)
    return ({ I }, l, { u16 }, at) => {
      for (let e = 0; e < count; e++) u16[(at >> 1) + e] = I[rows[e]! + l]!;
    };
  return ({ I }, l, { u8 }, at) => {
    for (let e = 0; e < count; e++) u8[at + e] = I[rows[e]! + l]!;
  };
}

// Parameters: of the kernel, or of a call, whose words are rows.

function paramPlace(c: InstructionCompiler, operand: Operand): { readonly name: string; readonly offset: number } {
  if (operand.kind === "address") {
    const { base } = operand;
    if (base.kind === "name") return { name: base.name, offset: 0 };
    if (base.kind === "sum" && base.base.kind === "name" && base.offset.kind === "integer")
      return { name: base.base.name, offset: Number(base.minus ? -base.offset.value : base.offset.value) };
  }
  throw new NotModelled(`the parameter's address in '${c.site.text}'`);
}

function loadParam(c: InstructionCompiler, targets: readonly Operand[], type: string): void {
  const { name, offset } = paramPlace(c, c.operand(1));
  const param = c.scope.param(name);
  if (param === undefined) throw new NotModelled(`'${name}' is no parameter`);
  const bits = bitsOfType(type);
  targets.forEach((target, i) => {
    const at = offset + (i * bits) / 8;
    const d = c.dest(target, bits, type.startsWith("s"));
    const shift = 8 * (at & 3);
    const part = bits < 32 ? ` >>> ${shift} & ${2 ** bits - 1}` : "";
    if (param.kind === "kernel") {
      const word = `w.cta.params[${(param.offset + at) >> 2}]`;
      const second = `w.cta.params[${((param.offset + at) >> 2) + 1}]`;
      c.emit(lanes(bits === 64 ? `I[d + 2 * l] = ${word}; I[d + 2 * l + 1] = ${second}` : `I[d + l] = ${word}${part}`, d));
    } else {
      const row = param.rows[at >> 2]!;
      c.reads.push(row, ...(bits === 64 ? [param.rows[(at >> 2) + 1]!] : []));
      if (bits === 64) c.emit(lanes("I[d + 2 * l] = I[a + l]; I[d + 2 * l + 1] = I[b + l]", d, row, param.rows[(at >> 2) + 1]!));
      else c.emit(lanes(`I[d + l] = I[a + l]${part}`, d, row));
    }
  });
}

function storeParam(c: InstructionCompiler, values: readonly Operand[], bits: number): void {
  const { name, offset } = paramPlace(c, c.operand(0));
  const param = c.scope.param(name);
  if (param?.kind !== "rows") throw new NotModelled(`'${name}' is no parameter of a call`);
  values.forEach((value, i) => {
    const at = offset + (i * bits) / 8;
    const a = c.source(value, bits);
    const row = param.rows[at >> 2]!;
    c.writes.push(row, ...(bits === 64 ? [param.rows[(at >> 2) + 1]!] : []));
    if (bits === 64) {
      c.emit(lanes("I[d + l] = I[a + 2 * l]; I[b + l] = I[a + 2 * l + 1]", row, a, param.rows[(at >> 2) + 1]!));
    } else if (bits === 32) c.emit(lanes("I[d + l] = I[a + l]", row, a));
    else {
      const mask = (2 ** bits - 1) << (8 * (at & 3));
      c.emit(lanes(`I[d + l] = (I[d + l] & ${~mask}) | ((I[a + l] << ${8 * (at & 3)}) & ${mask})`, row, a));
    }
  });
}

// Matrices: each lane names a row of 16 bytes; each register of each lane holds four bytes of one or more rows.

/** Where in the rows' bytes byte `b` of register `r` of lane `l` is. Source: PTX ISA, ldmatrix and stmatrix, the figures of fragments. */
type ByteOfRows = (r: number, l: number, b: number) => number;
const byteAt = (row: number, byte: number): number => 16 * row + byte;
const ROWWISE: ByteOfRows = (r, l, b) => byteAt(8 * r + (l >> 2), 4 * (l & 3) + b);
const HALVES: ByteOfRows = (r, l, b) => byteAt(8 * r + 2 * (l & 3) + (b >> 1), 2 * (l >> 2) + (b & 1));
/** Two registers hold a matrix. */
const LOADED_BYTES: ByteOfRows = (r, l, b) => byteAt(16 * (r >> 1) + 4 * (l & 3) + b, (l >> 2) + 8 * (r & 1));
const STORED_BYTES: ByteOfRows = (r, l, b) => byteAt(8 * r + 2 * (l & 3) + (b & 1), (l >> 2) + 8 * (b >> 1));

function fragment(c: InstructionCompiler, registers: number, ofBytes: { readonly shape: string; readonly at: ByteOfRows }) {
  const isBytes = c.has(ofBytes.shape) && c.has("b8") && c.has("trans");
  if (!isBytes && !(c.has("m8n8") && c.has("b16"))) throw new NotModelled(`only m8n8 of .b16 and ${ofBytes.shape} of .b8`);
  const at = isBytes ? ofBytes.at : c.has("trans") ? HALVES : ROWWISE;
  const places = Int32Array.from({ length: registers * 128 }, (_, i) => at(i >> 7, (i >> 2) & 31, i & 3));
  return { places, numRows: 8 * registers };
}

export const ldmatrix: Rule = (c) => {
  const targets = elementsOf(c.operand(0)).map((t) => c.dest(t, 32));
  const { places, numRows } = fragment(c, targets.length, { shape: "m16n16", at: LOADED_BYTES });
  const where = addressing(c, c.operand(1));
  const rows = new Int32Array(32 * 4);
  const bytes = new Uint8Array(rows.buffer);
  const gather: LaneAccess = (_warp, l, { i32 }, at) => {
    for (let k = 0; k < 4; k++) rows[4 * l + k] = i32[(at >> 2) + k]!;
  };
  c.cost = matrixCost(c, where, numRows);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    where(warp, mask, matrixAddresses);
    sharedRequest(warp, mask & lowLanes(numRows), matrixAddresses, 16, "read", c.site, gather);
    const { I } = warp;
    targets.forEach((target, r) => {
      for (let l = 0; l < 32; l++) {
        const i = 128 * r + 4 * l;
        I[target + l] =
          bytes[places[i]!]! | (bytes[places[i + 1]!]! << 8) | (bytes[places[i + 2]!]! << 16) | (bytes[places[i + 3]!]! << 24);
      }
    });
  });
};

export const stmatrix: Rule = (c) => {
  const sources = elementsOf(c.operand(1)).map((s) => c.source(s, 32));
  const { places, numRows } = fragment(c, sources.length, { shape: "m16n8", at: STORED_BYTES });
  const where = addressing(c, c.operand(0));
  const rows = new Int32Array(32 * 4);
  const bytes = new Uint8Array(rows.buffer);
  const scatter: LaneAccess = (_warp, l, { i32 }, at) => {
    for (let k = 0; k < 4; k++) i32[(at >> 2) + k] = rows[4 * l + k]!;
  };
  c.cost = matrixCost(c, where, numRows);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { I } = warp;
    sources.forEach((source, r) => {
      for (let l = 0; l < 32; l++) for (let b = 0; b < 4; b++) bytes[places[128 * r + 4 * l + b]!] = I[source + l]! >>> (8 * b);
    });
    where(warp, mask, matrixAddresses);
    sharedRequest(warp, mask & lowLanes(numRows), matrixAddresses, 16, "write", c.site, scatter);
  });
};

const matrixAddresses = new Float64Array(32);
const matrixCost =
  ({ site }: InstructionCompiler, where: Addresses, numRows: number): Step =>
  (warp, mask) => {
    where(warp, mask, matrixAddresses);
    countShared(site, mask & lowLanes(numRows), matrixAddresses, 16);
  };
const lowLanes = (count: number): number => (count === 32 ? -1 : (1 << count) - 1);

/** Instructions for whole warps tell of lanes that are not there. */
export function wholeWarp(warp: Warp, mask: number, c: InstructionCompiler): void {
  if (mask !== -1)
    warp.cta.findings.add("absent-lanes", c.site, `only lanes 0x${(mask >>> 0).toString(16)} of warp ${warp.index} are here; all must be`);
}

/** Hints to caches, fences: nothing to do in one CTA after another. */
export const nothingToDo: Rule = () => {};

/** `createpolicy`: what it gives is only ever handed to loads and stores. */
export const createpolicy: Rule = (c) => {
  const d = c.dest(c.operand(0), 64);
  c.emit(lanes("I[d + 2 * l] = 0; I[d + 2 * l + 1] = 0", d));
};
