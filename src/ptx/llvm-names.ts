/** The PTX names of LLVM's predicates, atomic operations and address spaces. */

import { byName } from "../support/by-name.js";

/** A predicate of integers, and how it sees their sign: bits, signed, unsigned. */
export const INTEGER_COMPARISONS: Readonly<Record<string, readonly [name: string, sign: "b" | "s" | "u"]>> = {
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

/** Predicates of floats; those that are always true or false are none of PTX's. */
export const FLOAT_COMPARISONS: Readonly<Record<string, string>> = {
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

/** Operations of `atomicrmw`, and the kind of type that `atom` names: bits, signed, unsigned, float. */
export const ATOMIC_OPERATIONS: Readonly<Record<string, readonly [name: string, kind: "b" | "s" | "u" | "f"]>> = {
  xchg: ["exch", "b"],
  add: ["add", "u"],
  and: ["and", "b"],
  or: ["or", "b"],
  xor: ["xor", "b"],
  max: ["max", "s"],
  min: ["min", "s"],
  umax: ["max", "u"],
  umin: ["min", "u"],
  fadd: ["add", "f"],
  uinc_wrap: ["inc", "u"],
  udec_wrap: ["dec", "u"],
};

const SCOPES: Readonly<Record<string, string>> = byName({
  "": "sys",
  singlethread: "cta",
  block: "cta",
  cluster: "cluster",
  device: "gpu",
  workgroup: "cta",
  agent: "gpu",
});

/** `.acquire.gpu` of an ordering, by its number, and a scope; nothing for what is relaxed and in the whole system. */
export function atomicSemantics(ordering: number | undefined, scope = ""): string {
  const order = { 4: "acquire", 5: "release", 6: "acq_rel", 7: "acq_rel" }[ordering ?? 2];
  if (!order && scope === "") return "";
  return `.${order ?? "relaxed"}.${SCOPES[scope] ?? "sys"}`;
}

/** `fence.acq_rel.gpu` of an ordering and a scope. */
export const fenceName = (ordering: number | undefined, scope = ""): string =>
  `fence.${ordering === 7 ? "sc" : "acq_rel"}.${SCOPES[scope] ?? "sys"}`;

/** State spaces by the number of the address space; the generic one has no name. */
export const STATE_SPACES: Readonly<Record<number, string>> = { 1: "global", 3: "shared", 4: "const", 5: "local", 7: "shared::cluster" };
