import type { Operation } from "../../ir/operation.js";

/** Attributes that have come since and have their default value. */
export function defaultsOf(op: Operation): string[] {
  return op.def.attrs.filter(({ name, default: value }) => value && op.attr(name) === value(op.ctx)).map(({ name }) => name);
}
