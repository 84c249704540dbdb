/**
 * The values that functions return. In 3.6, a `return` is made in place, and constants become tensors. Since 3.7, the type is decided after
 * the body, and a constant that all returns agree on stays one.
 * Source: code_generator.py, visit_Return, decide_return_type, cast_to, handle_returns.
 */
import { ReturnOp } from "../../dialects/tt/ops/function.js";
import { raise } from "../language/errors.js";
import { createBlock } from "../language/insertion.js";
import { sameType, typeName, typeRepr } from "../language/python-text.js";
import { constantType, scalarConstant, toTensor } from "../language/semantic/constants.js";
import { type TlType, VOID } from "../language/types.js";
import { constexpr, flattenValue, isConstexpr, isTuple, type PyValue, tuple, typeOf } from "../language/values.js";
import type { Generator } from "./generator.js";

export interface ReturnRules {
  /** Ends the block; what follows is dead and goes into a block of its own. */
  visit(g: Generator, value: PyValue): void;
  /** The type, after the body. */
  finish(g: Generator): TlType;
}

export const RETURNS_3_6: ReturnRules = {
  visit(g, returned) {
    const value = decay(g, returned);
    const type = value === null ? VOID : typeOf(value);
    g.b.create(ReturnOp, { srcs: value === null ? [] : flattenValue(value) });
    if (g.returnType === undefined) g.returnType = type;
    else if (!sameType(g.returnType, type))
      raise("TypeError", `Inconsistent return types: ${typeName(g.returnType)} and ${typeName(type)}`);
    createBlock(g.b);
  },
  finish: ({ returnType }) => returnType ?? VOID,
};

/** Constants become tensors when they are returned. */
function decay(g: Generator, value: PyValue): PyValue {
  if (isTuple(value)) return mapTuple(value, (v) => decay(g, v));
  return isNumber(value) ? toTensor(g.s, value) : value;
}

export const RETURNS_3_7: ReturnRules = {
  visit({ b, returns }, returned) {
    const value = returned === null || isNumber(returned) ? constexpr(isConstexpr(returned) ? returned.value : returned) : returned;
    returns.push({ value, block: b.block!, loc: b.loc });
    createBlock(b);
  },
  finish(g) {
    const { b, returns } = g;
    if (returns.length === 0) return typeOf(null);
    const types = returns.map(({ value }) => typeOf(value));
    const type = types.reduce((a, next) => commonType(a, next, types));
    const { block, loc } = b;
    for (const pending of returns) {
      b.setEnd(pending.block);
      b.loc = pending.loc;
      b.create(ReturnOp, { srcs: flattenValue(castTo(g, pending.value, type)) });
    }
    b.setEnd(block!);
    b.loc = loc;
    return type;
  },
};

function commonType(a: TlType, b: TlType, all: readonly TlType[]): TlType {
  if (sameType(a, b)) return a;
  const [left, right] = [a, b].map((type) => (type.kind === "constexpr_type" ? constantType(type.value) : type));
  const mismatch = (): never =>
    raise(
      "TypeError",
      `Return type mismatch: ${typeName(left!)} and ${typeName(right!)}. Note all return types were: [${all.map(typeRepr).join(", ")}]`,
    );
  if (a.kind === "tuple_type") {
    if (b.kind !== "tuple_type" || a.fields.join() !== b.fields.join()) return mismatch();
    return { ...a, types: a.types.map((type, i) => commonType(type, b.types[i]!, all)) };
  }
  return sameType(left!, right!) ? left! : mismatch();
}

function castTo(g: Generator, value: PyValue, type: TlType): PyValue {
  if (isTuple(value) && type.kind === "tuple_type") {
    const types = type.types.values();
    return mapTuple(value, (v) => castTo(g, v, types.next().value!));
  }
  return isConstexpr(value) && type.kind === "dtype" ? scalarConstant(g.s, value.value, type) : value;
}

const isNumber = (value: PyValue): boolean =>
  isConstexpr(value) || typeof value === "bigint" || typeof value === "number" || typeof value === "boolean";
const mapTuple = ({ values, fields, cls }: Extract<PyValue, { kind: "tuple" }>, f: (value: PyValue) => PyValue): PyValue =>
  tuple(values.map(f), fields, cls);
