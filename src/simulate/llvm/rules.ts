/** What each op of the LLVM and NVVM dialects is in PTX, one instruction or a few, without any cleverness. */

import * as llvm from "../../dialects/llvm/ops/index.js";
import { LLVMPointerType } from "../../dialects/llvm/types/types.js";
import * as nvvm from "../../dialects/nvvm/ops/index.js";
import type { Type } from "../../ir/attribute.js";
import { DenseElementsAttr, FloatAttr, IntegerAttr, intOf, intsOf, SymbolRefAttr, stringOf, TypeAttr } from "../../ir/builtin-attrs.js";
import { VectorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { ptxIdentifier } from "../../ptx/identifier.js";
import { effectInstruction, pureInstruction } from "../../ptx/nvvm-intrinsics.js";
import { type FunctionText, NotExecutable } from "./function-text.js";
import { elementsOf, fieldOffsets, type Leaf, leafOffset, sizeOf } from "./leaves.js";

export type Rule = (f: FunctionText, op: Operation) => void;

type Lane = (f: FunctionText, leaf: Leaf, d: string, operands: readonly string[]) => void;

/** A rule that does the same for every scalar of the result; operands have as many. */
const each =
  (lane: Lane): Rule =>
  (f, op) => {
    const operands = op.operands.map((v) => f.use(v));
    const leaves = f.leaves(op.result(0).type);
    f.define(op.result(0)).forEach((d, i) =>
      lane(
        f,
        leaves[i]!,
        d,
        operands.map((o) => o[i]!),
      ),
    );
  };

/** An integer instruction by signedness; 8 bits are computed in 16 and cut. */
const integer =
  (name: string, kind: "s" | "u" | "b", suffix = ""): Lane =>
  (f, { bits }, d, operands) => {
    if (bits === 1) throw new NotExecutable(`${name} of i1`);
    if (bits !== 8) return f.put(`${name}${suffix}.${kind}${bits} ${d}, ${operands.join(", ")}`);
    const wide = operands.map((o) => {
      if (kind !== "s") return o;
      const w = f.fresh(16);
      f.put(`cvt.s16.s8 ${w}, ${o}`);
      return w;
    });
    f.put(`${name}${suffix}.${kind}16 ${d}, ${wide.join(", ")}`);
    f.put(`and.b16 ${d}, ${d}, 255`);
  };

const logic =
  (name: string, otherwise: Lane): Lane =>
  (f, leaf, d, operands) =>
    leaf.bits === 1 ? f.put(`${name}.pred ${d}, ${operands.join(", ")}`) : otherwise(f, leaf, d, operands);

/** Shifts: the amount is a 32-bit register. */
const shift =
  (name: string, kind: "s" | "u" | "b"): Lane =>
  (f, leaf, d, [value, by]) => {
    let amount = by!;
    if (leaf.bits !== 32) {
      amount = f.fresh(32);
      f.put(`cvt.u32.u${leaf.bits} ${amount}, ${by}`);
    }
    let from = value!;
    if (leaf.bits === 8 && kind === "s") {
      from = f.fresh(16);
      f.put(`cvt.s16.s8 ${from}, ${value}`);
    }
    f.put(`${name}.${kind}${Math.max(leaf.bits, 16)} ${d}, ${from}, ${amount}`);
    if (leaf.bits === 8) f.put(`and.b16 ${d}, ${d}, 255`);
  };

const float =
  (name: string, modifiers: (type: string) => string = () => ""): Lane =>
  (f, { float: type }, d, operands) => {
    if (type === undefined) throw new NotExecutable(`${name} of integers`);
    f.put(`${name}${modifiers(type)}.${type} ${d}, ${operands.join(", ")}`);
  };
const nearest = (type: string): string => (type === "f32" || type === "f64" ? ".rn" : "");

/** Floats of 16 bits by way of f32, for instructions that have no such form. */
const inF32 =
  (name: string): Lane =>
  (f, leaf, d, operands) => {
    if (leaf.float === "f32" || leaf.float === "f64") return f.put(`${name}.${leaf.float} ${d}, ${operands.join(", ")}`);
    const wide = operands.map((o) => {
      const w = f.fresh(32);
      f.put(`cvt.f32.${leaf.float} ${w}, ${o}`);
      return w;
    });
    const result = f.fresh(32);
    f.put(`${name}.f32 ${result}, ${wide.join(", ")}`);
    f.put(`cvt.rn.${leaf.float}.f32 ${d}, ${result}`);
  };

// Conversions.

/** `to` is the result's scalar, `from` the operand's. */
const convert =
  (lane: (f: FunctionText, to: Leaf, from: Leaf, d: string, a: string) => void): Rule =>
  (f, op) => {
    const from = f.leaves(op.operand(0).type);
    const to = f.leaves(op.result(0).type);
    const sources = f.use(op.operand(0));
    f.define(op.result(0)).forEach((d, i) => lane(f, to[i]!, from[i]!, d, sources[i]!));
  };

const extend = (kind: "s" | "u") =>
  convert((f, to, from, d, a) => {
    if (from.bits !== 1) return f.put(`cvt.${kind}${Math.max(to.bits, 16)}.${kind}${from.bits} ${d}, ${a}`);
    f.put(`selp.b${Math.max(to.bits, 16)} ${d}, ${kind === "s" ? (to.bits === 8 ? 255 : -1) : 1}, 0, ${a}`);
  });

const toFloat = (kind: "s" | "u") =>
  convert((f, to, from, d, a) => {
    let source = a;
    let bits: number = from.bits;
    if (bits === 1) {
      source = f.fresh(32);
      bits = 32;
      f.put(`selp.b32 ${source}, ${kind === "s" ? -1 : 1}, 0, ${a}`);
    }
    f.put(`cvt.rn.${to.float}.${kind}${bits} ${d}, ${source}`);
  });

const toInteger = (kind: "s" | "u") =>
  convert((f, to, from, d, a) => {
    f.put(`cvt.rzi.${kind}${Math.max(to.bits, 16)}.${from.float} ${d}, ${a}`);
    if (to.bits === 8) f.put(`and.b16 ${d}, ${d}, 255`);
  });

const truncate = convert((f, to, from, d, a) => {
  if (to.bits !== 1) return f.put(`cvt.u${to.bits}.u${from.bits} ${d}, ${a}`);
  const low = f.fresh(from.bits);
  f.put(`and.b${Math.max(from.bits, 16)} ${low}, ${a}, 1`);
  f.put(`setp.ne.b${Math.max(from.bits, 16)} ${d}, ${low}, 0`);
});

const floatToFloat = convert((f, to, from, d, a) => {
  if (to.float === "bf16" || from.float === "bf16") {
    // bf16 converts from and to f32 only.
    if (from.float === "f64" || to.float === "f64") {
      const middle = f.fresh(32);
      f.put(from.float === "f64" ? `cvt.rn.f32.f64 ${middle}, ${a}` : `cvt.f32.bf16 ${middle}, ${a}`);
      return f.put(to.float === "f64" ? `cvt.f64.f32 ${d}, ${middle}` : `cvt.rn.bf16.f32 ${d}, ${middle}`);
    }
  }
  f.put(to.bits < from.bits ? `cvt.rn.${to.float}.${from.float} ${d}, ${a}` : `cvt.${to.float}.${from.float} ${d}, ${a}`);
});

/** Between integers and pointers of any width, and pointers of any space. */
const reinterpret = convert((f, to, from, d, a) => {
  if (to.bits === from.bits) f.move(d, a, to.bits);
  else f.put(`cvt.u${to.bits}.u${from.bits} ${d}, ${a}`);
});

const SPACES: Readonly<Record<number, string>> = { 1: "global", 3: "shared", 4: "const", 5: "local" };
const addressSpaceCast = convert((f, to, from, d, a) => {
  const [into, out] = [SPACES[to.space ?? 0], SPACES[from.space ?? 0]];
  let source = a;
  if (from.bits === 32) {
    source = f.fresh(64);
    f.put(`cvt.u64.u32 ${source}, ${a}`);
  }
  const result = to.bits === 32 ? f.fresh(64) : d;
  if (out !== undefined && into === undefined) f.put(`cvta.${out}.u64 ${result}, ${source}`);
  else if (into !== undefined && out === undefined) f.put(`cvta.to.${into}.u64 ${result}, ${source}`);
  else f.move(result, source, 64);
  if (to.bits === 32) f.put(`cvt.u32.u64 ${d}, ${result}`);
});

const bitcast: Rule = (f, op) => {
  const [from, to] = [f.leaves(op.operand(0).type), f.leaves(op.result(0).type)];
  f.bind(op.result(0), f.reshape(f.use(op.operand(0)), from[0]!.bits, to[0]!.bits));
};

// Comparisons and selections.

const INTEGER_COMPARISONS: Readonly<Record<string, readonly [string, "b" | "s" | "u"]>> = {
  eq: ["eq", "b"],
  ne: ["ne", "b"],
  slt: ["lt", "s"],
  sle: ["le", "s"],
  sgt: ["gt", "s"],
  sge: ["ge", "s"],
  ult: ["lt", "u"],
  ule: ["le", "u"],
  ugt: ["gt", "u"],
  uge: ["ge", "u"],
};
const FLOAT_COMPARISONS: Readonly<Record<string, string>> = {
  oeq: "eq",
  ogt: "gt",
  oge: "ge",
  olt: "lt",
  ole: "le",
  one: "ne",
  ord: "num",
  ueq: "equ",
  ugt: "gtu",
  uge: "geu",
  ult: "ltu",
  ule: "leu",
  une: "neu",
  uno: "nan",
};

const icmp: Rule = (f, op) => {
  const { predicate, lhs, rhs } = llvm.ICmpOp.match(op)!;
  const [name, kind] = INTEGER_COMPARISONS[predicate]!;
  const leaves = f.leaves(lhs.type);
  const [a, b] = [f.use(lhs), f.use(rhs)];
  f.define(op.result(0)).forEach((d, i) => {
    const { bits } = leaves[i]!;
    if (bits !== 1 && bits !== 8) return f.put(`setp.${name}.${kind}${bits} ${d}, ${a[i]}, ${b[i]}`);
    const wide = [a[i]!, b[i]!].map((x) => {
      const w = f.fresh(32);
      f.put(bits === 1 ? `selp.b32 ${w}, ${kind === "s" ? -1 : 1}, 0, ${x}` : `cvt.${kind === "s" ? "s32.s8" : "u32.u8"} ${w}, ${x}`);
      return w;
    });
    f.put(`setp.${name}.${kind}32 ${d}, ${wide.join(", ")}`);
  });
};

const fcmp: Rule = (f, op) => {
  const { predicate, lhs, rhs } = llvm.FCmpOp.match(op)!;
  const leaves = f.leaves(lhs.type);
  const [a, b] = [f.use(lhs), f.use(rhs)];
  f.define(op.result(0)).forEach((d, i) => {
    const name = FLOAT_COMPARISONS[predicate];
    if (name === undefined) return f.put(`mov.pred ${d}, ${predicate === "_true" ? -1 : 0}`);
    f.put(`setp.${name}.${leaves[i]!.float} ${d}, ${a[i]}, ${b[i]}`);
  });
};

const select: Rule = (f, op) => {
  const { condition, trueValue, falseValue } = llvm.SelectOp.match(op)!;
  const leaves = f.leaves(op.result(0).type);
  const [conditions, yes, no] = [f.use(condition), f.use(trueValue), f.use(falseValue)];
  f.define(op.result(0)).forEach((d, i) => {
    const c = conditions[conditions.length === 1 ? 0 : i]!;
    const { bits } = leaves[i]!;
    if (bits !== 1) return f.put(`selp.b${Math.max(bits, 16)} ${d}, ${yes[i]}, ${no[i]}, ${c}`);
    const [first, second, none] = [f.fresh(1), f.fresh(1), f.fresh(1)];
    f.put(`and.pred ${first}, ${c}, ${yes[i]}`);
    f.put(`not.pred ${none}, ${c}`);
    f.put(`and.pred ${second}, ${none}, ${no[i]}`);
    f.put(`or.pred ${d}, ${first}, ${second}`);
  });
};

// Constants and aggregates.

const constant: Rule = (f, op) => {
  const value = op.attr("value");
  const leaves = f.leaves(op.result(0).type);
  const bits = IntegerAttr.is(value)
    ? [value.params.value]
    : FloatAttr.is(value)
      ? [value.params.bits]
      : DenseElementsAttr.is(value)
        ? value.params.elements
        : undefined;
  if (bits === undefined) throw new NotExecutable("a constant of another kind");
  f.define(op.result(0)).forEach((d, i) => put(f, d, leaves[i]!.bits, bits[bits.length === 1 ? 0 : i]!));
};

function put(f: FunctionText, d: string, bits: Leaf["bits"], value: bigint): void {
  if (bits === 1) f.put(`mov.pred ${d}, ${value === 0n ? 0 : -1}`);
  else f.put(`mov.b${Math.max(bits, 16)} ${d}, 0x${BigInt.asUintN(bits, value).toString(16)}`);
}

const zero: Rule = (f, op) => {
  const leaves = f.leaves(op.result(0).type);
  f.define(op.result(0)).forEach((d, i) => put(f, d, leaves[i]!.bits, 0n));
};

const addressOf: Rule = (f, op) => {
  const [d] = f.define(op.result(0));
  const { type } = op.result(0);
  const symbol = op.attr("global_name");
  const name = SymbolRefAttr.is(symbol) ? ptxIdentifier(symbol.params.root) : "";
  const space = LLVMPointerType.is(type) ? type.params.addressSpace : 0;
  f.put(`mov.b${space === 3 ? 32 : 64} ${d}, ${name}`); // generic addresses of global memory are its own
};

/** Scalars [from, to) of an aggregate at a position. */
function range(f: FunctionText, type: Type, position: readonly number[]): readonly [number, number] {
  let from = 0;
  let at = type;
  for (const index of position) {
    from += leafOffset(at, index);
    at = elementsOf(at)![index]!;
  }
  return [from, from + f.leaves(at).length];
}

const extractValue: Rule = (f, op) => {
  const [from, to] = range(f, op.operand(0).type, intsOf(op.attr("position")) ?? []);
  f.bind(op.result(0), f.use(op.operand(0)).slice(from, to));
};

const insertValue: Rule = (f, op) => {
  const { container, value } = llvm.InsertValueOp.match(op)!;
  const [from, to] = range(f, container.type, intsOf(op.attr("position")) ?? []);
  const registers = f.use(container);
  f.bind(op.result(0), [...registers.slice(0, from), ...f.use(value), ...registers.slice(to)]);
};

function constantIndex(value: Value): number | undefined {
  const op = value.definingOp;
  return op?.name === "llvm.mlir.constant" ? intOf(op.attr("value")) : undefined;
}

const extractElement: Rule = (f, op) => {
  const { vector, position } = llvm.ExtractElementOp.match(op)!;
  const index = constantIndex(position);
  if (index === undefined) throw new NotExecutable("an element at a position that is not constant");
  f.bind(op.result(0), [f.use(vector)[index]!]);
};

const insertElement: Rule = (f, op) => {
  const { vector, value, position } = llvm.InsertElementOp.match(op)!;
  const index = constantIndex(position);
  if (index === undefined) throw new NotExecutable("an element at a position that is not constant");
  f.bind(
    op.result(0),
    f.use(vector).map((r, i) => (i === index ? f.scalar(value) : r)),
  );
};

const shuffleVector: Rule = (f, op) => {
  const both = [...f.use(op.operand(0)), ...f.use(op.operand(1))];
  const mask = intsOf(op.attr("mask")) ?? [];
  f.bind(
    op.result(0),
    mask.map((i) => both[Math.max(i, 0)]!),
  );
};

// Memory.

const spaceOf = (type: Type): string => {
  const space = LLVMPointerType.is(type) ? SPACES[type.params.addressSpace] : undefined;
  return space === undefined ? "" : `.${space}`;
};

const DYNAMIC = -2147483648;

const getElementPtr: Rule = (f, op) => {
  const { base, dynamicIndices, rawConstantIndices, elem_type } = llvm.GEPOp.match(op)!;
  const [leaf] = f.leaves(base.type);
  const wide = leaf!.bits === 64;
  let at = f.scalar(base);
  let known = 0;
  let next = 0;
  let type: Type = elem_type;
  rawConstantIndices.forEach((index, i) => {
    let stride: number;
    if (i === 0) stride = sizeOf(type).bytes;
    else {
      const parts = elementsOf(type)!;
      if (index !== DYNAMIC && parts.length > 0 && type.def.name === "llvm.struct") {
        known += fieldOffsets(parts).offsets[index]!;
        type = parts[index]!;
        return;
      }
      type = parts[0]!;
      stride = sizeOf(type).bytes;
    }
    if (index !== DYNAMIC) {
      known += index * stride;
      return;
    }
    const dynamic = dynamicIndices[next++]!;
    const bits = f.leaves(dynamic.type)[0]!.bits;
    let register = f.scalar(dynamic);
    if (wide && bits !== 64) {
      const extended = f.fresh(64);
      f.put(`cvt.s64.s${bits} ${extended}, ${register}`);
      register = extended;
    } else if (!wide && bits === 64) {
      const low = f.fresh(32);
      f.put(`cvt.u32.u64 ${low}, ${register}`);
      register = low;
    }
    const sum = f.fresh(wide ? 64 : 32);
    f.put(`mad.lo.s${wide ? 64 : 32} ${sum}, ${register}, ${stride}, ${at}`);
    at = sum;
  });
  const [d] = f.define(op.result(0));
  f.put(`add.s${wide ? 64 : 32} ${d}, ${at}, ${known}`);
};

/** How a value lies in memory: as words of one access where it is a vector aligned to its size, else scalar by scalar. */
function accesses(
  f: FunctionText,
  type: Type,
  alignment: number | undefined,
): readonly {
  readonly offset: number;
  readonly first: number;
  readonly count: number;
  readonly bits: 8 | 16 | 32 | 64;
  readonly leafBits: Leaf["bits"];
}[] {
  const leaves = f.leaves(type);
  const size = sizeOf(type);
  const leafBits = leaves[0]!.bits;
  if (
    VectorType.is(type) &&
    leafBits !== 1 &&
    (alignment ?? size.align) >= size.bytes &&
    size.bytes <= 16 &&
    size.bytes * 8 === leaves.length * leafBits
  ) {
    const bits = size.bytes >= 4 ? 32 : size.bytes === 2 ? 16 : 8;
    return [{ offset: 0, first: 0, count: (size.bytes * 8) / bits, bits, leafBits }];
  }
  const offsets = scalarOffsets(type);
  return leaves.map((leaf, i) => ({ offset: offsets[i]!, first: i, count: 1, bits: leaf.bits === 1 ? 8 : leaf.bits, leafBits: leaf.bits }));
}

function scalarOffsets(type: Type): readonly number[] {
  const parts = elementsOf(type);
  if (parts === undefined) return [0];
  const { offsets } = type.def.name === "llvm.struct" ? fieldOffsets(parts) : { offsets: parts.map((p, i) => i * sizeOf(p).bytes) };
  return parts.flatMap((part, i) => scalarOffsets(part).map((o) => o + offsets[i]!));
}

const list = (registers: readonly string[]): string => (registers.length === 1 ? registers[0]! : `{${registers.join(", ")}}`);
const vectorSuffix = (count: number): string => (count === 1 ? "" : `.v${count}`);

const load: Rule = (f, op) => {
  const { addr, res } = llvm.LoadOp.match(op)!;
  const registers: string[] = [];
  for (const { offset, count, bits, leafBits } of accesses(f, res.type, intOf(op.attr("alignment")))) {
    const words = Array.from({ length: count }, () => f.fresh(bits));
    f.put(`ld${spaceOf(addr.type)}${vectorSuffix(count)}.b${bits} ${list(words)}, [${f.scalar(addr)}+${offset}]`);
    if (leafBits === 1) {
      const p = f.fresh(1);
      f.put(`setp.ne.b16 ${p}, ${words[0]}, 0`);
      registers.push(p);
    } else registers.push(...f.reshape(words, bits, leafBits));
  }
  f.bind(res, registers);
};

const store: Rule = (f, op) => {
  const { value, addr } = llvm.StoreOp.match(op)!;
  const registers = f.use(value);
  for (const { offset, first, count, bits, leafBits } of accesses(f, value.type, intOf(op.attr("alignment")))) {
    let words: readonly string[];
    if (leafBits === 1) {
      words = [f.fresh(16)];
      f.put(`selp.b16 ${words[0]}, 1, 0, ${registers[first]}`);
    } else words = f.reshape(registers.slice(first, first + (count * bits) / leafBits), leafBits, bits);
    f.put(`st${spaceOf(addr.type)}${vectorSuffix(count)}.b${bits} [${f.scalar(addr)}+${offset}], ${list(words)}`);
  }
};

const alloca: Rule = (f, op) => {
  const elem = op.attr("elem_type");
  const count = constantIndex(op.operand(0));
  if (!TypeAttr.is(elem) || count === undefined) throw new NotExecutable("an alloca of unknown size");
  const { bytes, align } = sizeOf(elem.params.type);
  const [d] = f.define(op.result(0));
  const name = `depot_${d!.slice(1)}`;
  f.lines.push(`\t.local .align ${Math.max(align, 8)} .b8 ${name}[${Math.max(bytes * count, 1)}];`);
  const local = f.fresh(64);
  f.put(`mov.b64 ${local}, ${name}`);
  f.put(`cvta.local.u64 ${d}, ${local}`);
};

const ATOMICS: Readonly<Record<string, readonly [string, "s" | "u" | "b" | "f"]>> = {
  xchg: ["exch", "b"],
  add: ["add", "u"],
  _and: ["and", "b"],
  _or: ["or", "b"],
  _xor: ["xor", "b"],
  max: ["max", "s"],
  min: ["min", "s"],
  umax: ["max", "u"],
  umin: ["min", "u"],
  fadd: ["add", "f"],
  uinc_wrap: ["inc", "u"],
  udec_wrap: ["dec", "u"],
};
const atomicRmw: Rule = (f, op) => {
  const { bin_op, ptr, val } = llvm.AtomicRMWOp.match(op)!;
  const known = ATOMICS[bin_op];
  const leaves = f.leaves(val.type);
  if (known === undefined || leaves.length !== 1) throw new NotExecutable(`atomicrmw ${bin_op}`);
  const [name, kind] = known;
  const [d] = f.define(op.result(0));
  f.put(
    `atom${spaceOf(ptr.type)}.${name}.${kind === "f" ? leaves[0]!.float : `${kind}${leaves[0]!.bits}`} ${d}, [${f.scalar(ptr)}], ${f.scalar(val)}`,
  );
};

const compareExchange: Rule = (f, op) => {
  const { ptr, cmp, val } = llvm.AtomicCmpXchgOp.match(op)!;
  const { bits } = f.leaves(val.type)[0]!;
  const [old, success] = f.define(op.result(0));
  f.put(`atom${spaceOf(ptr.type)}.cas.b${bits} ${old}, [${f.scalar(ptr)}], ${f.scalar(cmp)}, ${f.scalar(val)}`);
  f.put(`setp.eq.b${bits} ${success}, ${old}, ${f.scalar(cmp)}`);
};

// Calls and inline assembly.

const inlineAsm: Rule = (f, op) => {
  const { asm_string, constraints, operands, res } = llvm.InlineAsmOp.match(op)!;
  const wanted = constraints.split(",").filter((c) => c !== "" && !c.startsWith("~"));
  const outputs = wanted.filter((c) => c.startsWith("="));
  const outTypes = res === undefined || res.type.def.name === "llvm.void" ? [] : outputs.length > 1 ? elementsOf(res.type)! : [res.type];
  const outLeaves = outTypes.map((t) => f.leaves(t));
  const outRegisters = outLeaves.map((leaves) => f.fresh(registerBits(leaves)));
  const inputs = wanted.slice(outputs.length).map((constraint, i) => {
    const value = operands[i]!;
    const known = constraint.includes("n") && constraint.length === 1 ? constantIndex(value) : undefined;
    if (known !== undefined) return String(known);
    const register = joined(f, value);
    const tied = /^\d+$/.exec(constraint);
    if (tied === null) return register;
    // Begins in the register of a result.
    const target = outRegisters[Number(tied[0])]!;
    f.move(target, register, registerBits(outLeaves[Number(tied[0])]!));
    return target;
  });
  const all = [...outRegisters, ...inputs];
  const text = asm_string.replace(/\$(?:(\d+)|\{(\d+)(?::\w+)?\}|\$)/g, (whole, plain: string | undefined, braced: string | undefined) =>
    whole === "$$" ? "$" : (all[Number(plain ?? braced)] ?? whole),
  );
  f.lines.push("\t{", text.trim().endsWith(";") || /\}\s*$/.test(text) || text.trim() === "" ? text : `${text};`, "\t}");
  if (res !== undefined && outTypes.length > 0)
    f.bind(
      res,
      outRegisters.flatMap((register, i) => split(f, register, outLeaves[i]!)),
    );
};

/** The register that a list of scalars fits in. */
function registerBits(leaves: readonly Leaf[]): Leaf["bits"] {
  const bits = leaves.reduce((sum, leaf) => sum + leaf.bits, 0);
  if (bits === 1 || bits === 8 || bits === 16 || bits === 32 || bits === 64) return bits;
  throw new NotExecutable(`${bits} bits in one register`);
}

const joined = (f: FunctionText, value: Value): string => {
  const leaves = f.leaves(value.type);
  return f.reshape(f.use(value), leaves[0]!.bits, registerBits(leaves))[0]!;
};
const split = (f: FunctionText, register: string, leaves: readonly Leaf[]): readonly string[] =>
  f.reshape([register], registerBits(leaves), leaves[0]!.bits);

/** A call by parameters in memory, a variable each scalar. */
export function callText(
  f: FunctionText,
  callee: string,
  args: readonly (readonly [string, Leaf])[],
  results: readonly (readonly [string, Leaf])[],
): void {
  const bits = (leaf: Leaf) => Math.max(leaf.bits, 8);
  const names = (kind: string, list: readonly unknown[]) => list.map((_, i) => `${kind}${i}`).join(", ");
  f.lines.push("\t{");
  args.forEach(([, leaf], i) => f.put(`.param .b${bits(leaf)} a${i}`));
  results.forEach(([, leaf], i) => f.put(`.param .b${bits(leaf)} r${i}`));
  args.forEach(([register, leaf], i) => {
    let value = register;
    if (leaf.bits === 1) {
      value = f.fresh(16);
      f.put(`selp.b16 ${value}, 1, 0, ${register}`);
    }
    f.put(`st.param.b${bits(leaf)} [a${i}], ${value}`);
  });
  f.put(`call.uni ${results.length > 0 ? `(${names("r", results)}), ` : ""}${callee}, (${names("a", args)})`);
  results.forEach(([register, leaf], i) => {
    if (leaf.bits !== 1) return f.put(`ld.param.b${bits(leaf)} ${register}, [r${i}]`);
    const byte = f.fresh(16);
    f.put(`ld.param.b8 ${byte}, [r${i}]`);
    f.put(`setp.ne.b16 ${register}, ${byte}, 0`);
  });
  f.lines.push("\t}");
}

const pairs = (f: FunctionText, value: Value, registers: readonly string[]): (readonly [string, Leaf])[] =>
  f.leaves(value.type).map((leaf, i) => [registers[i]!, leaf] as const);

const call: Rule = (f, op) => {
  const callee = op.attr("callee");
  if (!SymbolRefAttr.is(callee)) throw new NotExecutable("an indirect call");
  const args = op.operands.flatMap((value) => pairs(f, value, f.use(value)));
  const results = op.results.filter((r) => r.type.def.name !== "llvm.void").flatMap((r) => pairs(f, r, f.define(r)));
  callText(f, ptxIdentifier(callee.params.root), args, results);
};

const callIntrinsic: Rule = (f, op) => {
  const name = stringOf(op.attr("intrin")) ?? "";
  const inputs = op.operands.map((o) => f.scalar(o));
  const results = op.results.flatMap((r) => (r.type.def.name === "llvm.void" ? [] : f.define(r)));
  const pure = pureInstruction(name);
  const form = pure === undefined ? effectInstruction(name) : undefined;
  if (pure !== undefined) f.put(`${pure} ${[...results, ...inputs].join(", ")}`);
  else if (form !== undefined) f.put(form.replace(/\$(\d+)/g, (_, i) => [...results, ...inputs][Number(i)]!));
  else throw new NotExecutable(`intrinsic ${name}`);
};

// NVVM.

const sreg =
  (name: string): Rule =>
  (f, op) => {
    const bits = f.leaves(op.result(0).type)[0]!.bits;
    f.put(`mov.u${bits} ${f.define(op.result(0))[0]}, %${name}`);
  };

const shuffle: Rule = (f, op) => {
  const { thread_mask, val, offset, mask_and_clamp, kind, res } = nvvm.ShflOp.match(op)!;
  const [d, valid] = f.define(res);
  f.put(
    `shfl.sync.${kind}.b32 ${d}${valid === undefined ? "" : `|${valid}`}, ${f.scalar(val)}, ${f.scalar(offset)}, ${f.scalar(mask_and_clamp)}, ${f.scalar(thread_mask)}`,
  );
};

const vote: Rule = (f, op) => {
  const { kind, mask, pred, res } = nvvm.VoteSyncOp.match(op)!;
  f.put(`vote.sync.${kind}.${kind === "ballot" ? "b32" : "pred"} ${f.define(res)[0]}, ${f.scalar(pred)}, ${f.scalar(mask)}`);
};

const REDUX: Readonly<Record<string, string>> = {
  add: "add.s32",
  and: "and.b32",
  max: "max.s32",
  min: "min.s32",
  or: "or.b32",
  umax: "max.u32",
  umin: "min.u32",
  xor: "xor.b32",
  fmin: "min.f32",
  fmax: "max.f32",
};
const redux: Rule = (f, op) => {
  const { kind, val, mask_and_clamp, res, nan, abs } = nvvm.ReduxOp.match(op)!;
  const [name, type] = REDUX[kind]!.split(".");
  f.put(
    `redux.sync.${name}${abs ? ".abs" : ""}${nan ? ".NaN" : ""}.${type} ${f.define(res)[0]}, ${f.scalar(val)}, ${f.scalar(mask_and_clamp)}`,
  );
};

const ldmatrix: Rule = (f, op) => {
  const { ptr, res, num, layout } = nvvm.LdMatrixOp.match(op)!;
  f.put(
    `ldmatrix.sync.aligned.m8n8.x${num}${layout === "col" ? ".trans" : ""}.shared.b16 {${f.define(res).join(", ")}}, [${f.scalar(ptr)}]`,
  );
};
const stmatrix: Rule = (f, op) => {
  const { ptr, sources, layout } = nvvm.StMatrixOp.match(op)!;
  f.put(
    `stmatrix.sync.aligned.m8n8.x${sources.length}${layout === "col" ? ".trans" : ""}.shared.b16 [${f.scalar(ptr)}], {${sources.map((s) => f.scalar(s)).join(", ")}}`,
  );
};

const plain =
  (text: string): Rule =>
  (f) =>
    f.put(text);
const nothing: Rule = () => {};

const barrier: Rule = (f, op) => {
  const operands = op.operands.map((o) => f.scalar(o));
  f.put(`bar.sync ${operands.length === 0 ? "0" : operands.join(", ")}`);
};

const elect: Rule = (f, op) => {
  const members = op.numOperands > 0 ? f.scalar(op.operand(0)) : "-1";
  f.put(`elect.sync _|${f.define(op.result(0))[0]}, ${members}`);
};

const ctpop: Lane = (f, { bits }, d, [a]) => {
  const count = bits === 32 ? d : f.fresh(32);
  f.put(`popc.b${bits === 64 ? 64 : 32} ${count}, ${a}`);
  if (bits !== 32) f.put(`cvt.u${bits}.u32 ${d}, ${count}`);
};

export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["llvm.mlir.constant", constant],
  ...["llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.zero", "ub.poison"].map((name) => [name, zero] as const),
  ["llvm.mlir.addressof", addressOf],
  ["llvm.add", each((f, leaf, d, o) => (leaf.bits === 1 ? f.put(`xor.pred ${d}, ${o.join(", ")}`) : integer("add", "s")(f, leaf, d, o)))],
  ["llvm.sub", each((f, leaf, d, o) => (leaf.bits === 1 ? f.put(`xor.pred ${d}, ${o.join(", ")}`) : integer("sub", "s")(f, leaf, d, o)))],
  ["llvm.mul", each(logic("and", integer("mul", "s", ".lo")))],
  ["llvm.sdiv", each(integer("div", "s"))],
  ["llvm.udiv", each(integer("div", "u"))],
  ["llvm.srem", each(integer("rem", "s"))],
  ["llvm.urem", each(integer("rem", "u"))],
  ["llvm.and", each(logic("and", integer("and", "b")))],
  ["llvm.or", each(logic("or", integer("or", "b")))],
  ["llvm.xor", each(logic("xor", integer("xor", "b")))],
  ["llvm.shl", each(shift("shl", "b"))],
  ["llvm.lshr", each(shift("shr", "u"))],
  ["llvm.ashr", each(shift("shr", "s"))],
  ["llvm.fadd", each(float("add", nearest))],
  ["llvm.fsub", each(float("sub", nearest))],
  ["llvm.fmul", each(float("mul", nearest))],
  ["llvm.fdiv", each(inF32("div.rn"))],
  ["llvm.fneg", each(float("neg"))],
  ["llvm.intr.fabs", each(float("abs"))],
  ["llvm.intr.fmuladd", each(float("fma", () => ".rn"))],
  ["llvm.intr.fma", each(float("fma", () => ".rn"))],
  ["llvm.intr.maxnum", each(float("max"))],
  ["llvm.intr.minnum", each(float("min"))],
  ["llvm.intr.maximum", each(float("max", () => ".NaN"))],
  ["llvm.intr.minimum", each(float("min", () => ".NaN"))],
  ["llvm.intr.sqrt", each(inF32("sqrt.rn"))],
  ["llvm.intr.floor", each((f, leaf, d, [a]) => f.put(`cvt.rmi.${leaf.float}.${leaf.float} ${d}, ${a}`))],
  ["llvm.intr.ceil", each((f, leaf, d, [a]) => f.put(`cvt.rpi.${leaf.float}.${leaf.float} ${d}, ${a}`))],
  ["llvm.intr.exp2", each(inF32("ex2.approx"))],
  ["llvm.intr.log2", each(inF32("lg2.approx"))],
  ["llvm.intr.sin", each(inF32("sin.approx"))],
  ["llvm.intr.cos", each(inF32("cos.approx"))],
  ["llvm.intr.copysign", each((f, leaf, d, [x, s]) => f.put(`copysign.${leaf.float} ${d}, ${s}, ${x}`))],
  ["llvm.intr.smax", each(integer("max", "s"))],
  ["llvm.intr.smin", each(integer("min", "s"))],
  ["llvm.intr.umax", each(integer("max", "u"))],
  ["llvm.intr.umin", each(integer("min", "u"))],
  [
    "llvm.intr.abs",
    (f, op) => {
      const [d] = f.define(op.result(0));
      const [leaf] = f.leaves(op.result(0).type);
      integer("abs", "s")(f, leaf!, d!, [f.scalar(op.operand(0))]);
    },
  ],
  ["llvm.intr.ctpop", each(ctpop)],
  ["llvm.intr.bitreverse", each((f, leaf, d, [a]) => f.put(`brev.b${leaf.bits} ${d}, ${a}`))],
  ["llvm.intr.assume", nothing],
  ["llvm.intr.dbg.value", nothing],
  ["llvm.icmp", icmp],
  ["llvm.fcmp", fcmp],
  ["llvm.select", select],
  ["llvm.zext", extend("u")],
  ["llvm.sext", extend("s")],
  ["llvm.trunc", truncate],
  ["llvm.sitofp", toFloat("s")],
  ["llvm.uitofp", toFloat("u")],
  ["llvm.fptosi", toInteger("s")],
  ["llvm.fptoui", toInteger("u")],
  ["llvm.fptrunc", floatToFloat],
  ["llvm.fpext", floatToFloat],
  ["llvm.ptrtoint", reinterpret],
  ["llvm.inttoptr", reinterpret],
  ["llvm.addrspacecast", addressSpaceCast],
  ["llvm.bitcast", bitcast],
  ["llvm.freeze", (f, op) => f.bind(op.result(0), f.use(op.operand(0)))],
  ["llvm.extractvalue", extractValue],
  ["llvm.insertvalue", insertValue],
  ["llvm.extractelement", extractElement],
  ["llvm.insertelement", insertElement],
  ["llvm.shufflevector", shuffleVector],
  ["llvm.getelementptr", getElementPtr],
  ["llvm.load", load],
  ["llvm.store", store],
  ["llvm.alloca", alloca],
  ["llvm.atomicrmw", atomicRmw],
  ["llvm.cmpxchg", compareExchange],
  ["llvm.fence", nothing],
  ["llvm.inline_asm", inlineAsm],
  ["llvm.call", call],
  ["llvm.call_intrinsic", callIntrinsic],
  ["nvvm.shfl.sync", shuffle],
  ["nvvm.vote.sync", vote],
  ["nvvm.redux.sync", redux],
  ["nvvm.ldmatrix", ldmatrix],
  ["nvvm.stmatrix", stmatrix],
  ["nvvm.barrier0", plain("bar.sync 0")],
  ["nvvm.barrier", barrier],
  ["nvvm.bar.warp.sync", (f, op) => f.put(`bar.warp.sync ${f.scalar(op.operand(0))}`)],
  ["nvvm.cp.async.commit.group", plain("cp.async.commit_group")],
  ["nvvm.cp.async.wait.group", (f, op) => f.put(`cp.async.wait_group ${intOf(op.attr("n"))}`)],
  [
    "nvvm.cp.async.shared.global",
    (f, op) => {
      const { dst, src, cpSize, size, modifier } = nvvm.CpAsyncOp.match(op)!;
      f.put(`cp.async.${modifier}.shared.global [${f.scalar(dst)}], [${f.scalar(src)}], ${size}${cpSize ? `, ${f.scalar(cpSize)}` : ""}`);
    },
  ],
  ["nvvm.elect.sync", elect],
  ...["tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid"].flatMap((name) =>
    ["x", "y", "z"].map((axis) => [`nvvm.read.ptx.sreg.${name}.${axis}`, sreg(`${name}.${axis}`)] as const),
  ),
  ...["laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "clock", "clock64", "globaltimer"].map(
    (name) => [`nvvm.read.ptx.sreg.${name}`, sreg(name)] as const,
  ),
]);
