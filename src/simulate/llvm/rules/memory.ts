/** Addresses, loads, stores, local memory, atomics. */
import * as llvm from "../../../dialects/llvm/ops/index.js";
import { DYNAMIC_INDEX } from "../../../dialects/llvm/ops/memory.js";
import type { Type } from "../../../ir/attribute.js";
import { intOf, stringOf, TypeAttr } from "../../../ir/builtin-attrs.js";
import { VectorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { ATOMIC_OPERATIONS, atomicSemantics, fenceName } from "../../../ptx/llvm-names.js";
import { type FunctionText, NotExecutable } from "../function-text.js";
import { elementsOf, fieldOffsets, type Leaf, sizeOf } from "../leaves.js";
import { constantIndex, type Family, type Rule, spaceOf } from "./rule.js";

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
      if (index !== DYNAMIC_INDEX && parts.length > 0 && type.def.name === "llvm.struct") {
        known += fieldOffsets(parts).offsets[index]!;
        type = parts[index]!;
        return;
      }
      type = parts[0]!;
      stride = sizeOf(type).bytes;
    }
    if (index !== DYNAMIC_INDEX) {
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

/** The lanes of one of AMD's waves access shared memory together, one instruction after the other. */
function meet(f: FunctionText, addr: Value): void {
  if (f.amd?.warpSize === 64 && spaceOf(addr.type) === ".shared") f.put("wave.sync");
}

const load: Rule = (f, op) => {
  const { addr, res } = llvm.LoadOp.match(op)!;
  const registers: string[] = [];
  meet(f, addr);
  for (const { offset, count, bits, leafBits } of accesses(f, res.type, intOf(op.attr("alignment")))) {
    const words = Array.from({ length: count }, () => f.fresh(bits));
    f.put(
      `ld${op.hasAttr("volatile_") ? ".volatile" : ""}${spaceOf(addr.type)}${vectorSuffix(count)}.b${bits} ${list(words)}, [${f.scalar(addr)}+${offset}]`,
    );
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
  meet(f, addr);
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

const semantics = (op: Operation, ordering: string): string => atomicSemantics(intOf(op.attr(ordering)), stringOf(op.attr("syncscope")));

const fence: Rule = (f, op) => f.put(fenceName(intOf(op.attr("ordering")), stringOf(op.attr("syncscope"))));

const atomicRmw: Rule = (f, op) => {
  const { bin_op, ptr, val } = llvm.AtomicRMWOp.match(op)!;
  const known = ATOMIC_OPERATIONS[bin_op.replace(/^_/, "")];
  const leaves = f.leaves(val.type);
  const [leaf] = leaves;
  const isPair = leaves.length === 2 && leaf!.bits === 16;
  if (known === undefined || (leaves.length !== 1 && !isPair)) throw new NotExecutable(`atomicrmw ${bin_op}`);
  const [name, kind] = known;
  const type = kind === "f" ? `${leaf!.float}${isPair ? "x2" : ""}` : `${kind}${leaf!.bits}`;
  const atom = `atom${semantics(op, "ordering")}${spaceOf(ptr.type)}.${name}.${type}`;
  if (!isPair) return f.put(`${atom} ${f.define(op.result(0))[0]}, [${f.scalar(ptr)}], ${f.scalar(val)}`);
  const old = f.fresh(32);
  f.put(`${atom} ${old}, [${f.scalar(ptr)}], ${f.reshape(f.use(val), 16, 32)[0]}`);
  f.bind(op.result(0), f.reshape([old], 32, 16));
};

const compareExchange: Rule = (f, op) => {
  const { ptr, cmp, val } = llvm.AtomicCmpXchgOp.match(op)!;
  const { bits } = f.leaves(val.type)[0]!;
  const [old, success] = f.define(op.result(0));
  f.put(
    `atom${semantics(op, "success_ordering")}${spaceOf(ptr.type)}.cas.b${bits} ${old}, [${f.scalar(ptr)}], ${f.scalar(cmp)}, ${f.scalar(val)}`,
  );
  f.put(`setp.eq.b${bits} ${success}, ${old}, ${f.scalar(cmp)}`);
};

export const MEMORY: Family = [
  ["llvm.getelementptr", getElementPtr],
  ["llvm.load", load],
  ["llvm.store", store],
  ["llvm.alloca", alloca],
  ["llvm.atomicrmw", atomicRmw],
  ["llvm.cmpxchg", compareExchange],
  ["llvm.fence", fence],
];
