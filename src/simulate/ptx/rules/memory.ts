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

// Matrices of 8x8 halves: each lane names a row; each gets two neighbours of one.

export const ldmatrix: Rule = (c) => {
  if (!c.has("m8n8") || !c.has("b16")) throw new NotModelled("only m8n8 of .b16");
  const targets = elementsOf(c.operand(0)).map((t) => c.dest(t, 32));
  const count = targets.length;
  const where = addressing(c, c.operand(1));
  const transposed = c.has("trans");
  const rows = new Int32Array(32 * 4);
  const gather: LaneAccess = (_warp, l, { i32 }, at) => {
    for (let k = 0; k < 4; k++) rows[4 * l + k] = i32[(at >> 2) + k]!;
  };
  const halves = new Uint16Array(rows.buffer);
  c.cost = matrixCost(c, where, count);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    where(warp, mask, matrixAddresses);
    sharedRequest(warp, mask & lowLanes(8 * count), matrixAddresses, 16, "read", c.site, gather);
    const { I } = warp;
    for (let matrix = 0; matrix < count; matrix++)
      for (let l = 0; l < 32; l++) {
        const first = 8 * matrix;
        if (!transposed) I[targets[matrix]! + l] = rows[4 * (first + (l >> 2)) + (l & 3)]!;
        else {
          const column = l >> 2;
          const row = first + 2 * (l & 3);
          I[targets[matrix]! + l] = halves[8 * row + column]! | (halves[8 * (row + 1) + column]! << 16);
        }
      }
  });
};

export const stmatrix: Rule = (c) => {
  if (!c.has("m8n8") || !c.has("b16")) throw new NotModelled("only m8n8 of .b16");
  const sources = elementsOf(c.operand(1)).map((s) => c.source(s, 32));
  const count = sources.length;
  const where = addressing(c, c.operand(0));
  const transposed = c.has("trans");
  const rows = new Int32Array(32 * 4);
  const halves = new Uint16Array(rows.buffer);
  const scatter: LaneAccess = (_warp, l, { i32 }, at) => {
    for (let k = 0; k < 4; k++) i32[(at >> 2) + k] = rows[4 * l + k]!;
  };
  c.cost = matrixCost(c, where, count);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { I } = warp;
    for (let matrix = 0; matrix < count; matrix++)
      for (let l = 0; l < 32; l++) {
        const first = 8 * matrix;
        const value = I[sources[matrix]! + l]!;
        if (!transposed) rows[4 * (first + (l >> 2)) + (l & 3)] = value;
        else {
          const column = l >> 2;
          const row = first + 2 * (l & 3);
          halves[8 * row + column] = value;
          halves[8 * (row + 1) + column] = value >>> 16;
        }
      }
    where(warp, mask, matrixAddresses);
    sharedRequest(warp, mask & lowLanes(8 * count), matrixAddresses, 16, "write", c.site, scatter);
  });
};

const matrixAddresses = new Float64Array(32);
const matrixCost =
  ({ site }: InstructionCompiler, where: Addresses, count: number): Step =>
  (warp, mask) => {
    where(warp, mask, matrixAddresses);
    countShared(site, mask & lowLanes(8 * count), matrixAddresses, 16);
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
