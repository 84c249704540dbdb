import type { Operation } from "../../ir/operation.js";
import type { Node } from "./graph.js";
import type { Lowering } from "./lower.js";
export function expandLibdevice(_l: Lowering, _op: Operation, _name: string, _args: readonly Node[]): readonly Node[] | undefined {
  return undefined;
}
