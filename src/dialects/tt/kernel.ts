/** Which functions are kernels. Source: lib/Dialect/Triton/IR/Utility.cpp. */
import { FunctionOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { symbolVisibility } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";

/** Whether the host can launch the function: those that only other functions call are private. */
export const isKernel = (func: Operation): boolean => symbolVisibility(func) === "public";

/** Whether a tensor descriptor was made by the host: it is an argument of a kernel. */
export function isHostSideDescriptor(value: Value): boolean {
  const func = value.argOwner?.parentOp;
  return func != null && func.def.interface(FunctionOp) !== undefined && isKernel(func);
}
