/** Loads from which a dot's operands come, through other loads too. Source: Pipeliner/AssignLatencies.cpp. */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { bodyOf, getNestedOperands } from "./pipelined-loops.js";
import {
  canBeConvertedToAsyncLoad,
  getCopyVecBytes,
  getSharedEncIfAllUsersAreDotEnc,
  localAllocEncodings,
} from "./shared-encoding-of-users.js";

export const isAnyLoad = (op: Operation): boolean => LoadOp.is(op) || DescriptorLoadOp.is(op) || DescriptorGatherOp.is(op);

/** How many other loads lie between a load and the dot, and what uses it: one of these, or the dot. */
export interface Indirection {
  readonly distance: number;
  readonly use: Operation;
}
/** The loads worth pipelining; `filterSmall` leaves out those that cannot be copied asynchronously. */
export function loadOpsToIndirectionLevel(
  loop: ForView,
  withoutDot: boolean,
  axes: ModuleAxisInfo,
  numStages: number,
  filterSmall = true,
): ReadonlyMap<Operation, Indirection> {
  const levels = new Map<Operation, Indirection>();
  let seen = new Set<Operation>();
  const excluded = new Set<Operation>();
  const visit = (op: Operation, use: Operation, distance: number): void => {
    if (seen.has(op)) return;
    seen.add(op);
    if (excluded.has(op)) return;
    let [next, user] = [distance, use];
    if (isAnyLoad(op)) {
      if (!isPipeliningBeneficial(op, axes, filterSmall)) return;
      const known = levels.get(op);
      if (known && known.distance !== distance) {
        // Used at two distances: there is no telling which one counts.
        levels.delete(op);
        excluded.add(op);
        return;
      }
      levels.set(op, known ?? { distance, use });
      next++;
      user = op;
    }
    const isDot = op.def.interface(DotOpInterface) !== undefined;
    for (const operand of getNestedOperands(op)) {
      // For a dot, only the multiplied operands count, not the accumulator.
      if (isDot && operand === op.operand(2)) continue;
      const def = operand.definingOp;
      if (def && def.block === op.block) visit(def, user, next);
    }
  };
  const ops = bodyOf(loop).opsWithoutTerminator();
  for (const op of ops) {
    if (!op.def.interface(DotOpInterface) && !TMEMStoreOp.is(op)) continue;
    seen = new Set();
    visit(op, op, 0);
  }
  // A loop that says how many stages it wants gets them for loads without a dot as well.
  if (withoutDot) for (const op of ops) if (!isAnyLoad(op)) visit(op, op, 0);
  for (const [op, { distance }] of [...levels]) if (distance >= numStages - 1) levels.delete(op);
  return levels;
}

function isPipeliningBeneficial(op: Operation, axes: ModuleAxisInfo, filterSmall: boolean): boolean {
  const load = LoadOp.match(op);
  if (!load) return true;
  if (filterSmall && !canBeConvertedToAsyncLoad(load, axes)) return false;
  if (getSharedEncIfAllUsersAreDotEnc(load.result).incompatible) return false;
  const [encoding, ...others] = localAllocEncodings(op);
  if (!encoding) return true;
  if (others.some((other) => other !== encoding)) return false;
  return !filterSmall || getCopyVecBytes(load.result.type as TensorType, encoding) >= 4;
}
