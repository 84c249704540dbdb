/**
 * Which function of a module calls which, callees visited before or after their callers. Unlike MLIR's call graph it knows
 * only functions of the module, and takes recursion for an error.
 * Source: include/triton/Analysis/Utility.h, CallGraph.
 */
import { CallOp, FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import { lookupSymbol } from "../ir/symbol-table.js";

/** A call and the function it goes to. */
export interface CallEdge {
  readonly call: Operation;
  readonly callee: Operation;
}

/** Who calls whom in a module. */
export interface CallGraph {
  /** Functions that nobody in the module calls, in order. */
  readonly roots: readonly Operation[];
  /** The calls in a function, in order. */
  callsIn(func: Operation): readonly CallEdge[];
  /** Every function reachable from a root once, callees before callers; undefined when functions call each other in a circle. */
  postOrder(): readonly Operation[] | undefined;
  /** A call that leads back into a function which it is part of. */
  recursiveCall(): Operation | undefined;
}

/** The calls of a module by symbol. A call of what the module does not define is no edge. */
export function callGraphOf(module: Operation): CallGraph {
  const edges = new Map<Operation, CallEdge[]>();
  const called = new Set<Operation>();
  const functions: Operation[] = [];
  module.walkPostOrder((op) => {
    if (isFunction(op)) functions.push(op);
    const call = op.def.interface(CallOp);
    const name = call?.callee(op);
    const callee = name === undefined ? undefined : lookupSymbol(op, name);
    const caller = call && enclosingFunction(op);
    if (!caller || !callee || !isFunction(callee)) return;
    const list = edges.get(caller);
    if (list) list.push({ call: op, callee });
    else edges.set(caller, [{ call: op, callee }]);
    called.add(callee);
  });
  const callsIn = (func: Operation): readonly CallEdge[] => edges.get(func) ?? [];
  const roots = functions.filter((func) => !called.has(func));
  return {
    roots,
    callsIn,
    postOrder: () => {
      const visited = visitCalls(roots, callsIn);
      return visited.recursive ? undefined : visited.order;
    },
    recursiveCall: () => visitCalls(functions, callsIn).recursive,
  };
}

const isFunction = (op: Operation): boolean => op.def.interface(FunctionOp) !== undefined;

/** The function that an op is in, not itself. */
export function enclosingFunction(op: Operation): Operation | undefined {
  let at = op.parentOp;
  while (at && !isFunction(at)) at = at.parentOp;
  return at ?? undefined;
}

/** Functions, callees first, up to the first call that closes a circle. */
function visitCalls(
  roots: readonly Operation[],
  callsIn: (func: Operation) => readonly CallEdge[],
): { readonly order: readonly Operation[]; readonly recursive: Operation | undefined } {
  const done = new Set<Operation>();
  const active = new Set<Operation>();
  let recursive: Operation | undefined;
  const visit = (func: Operation): boolean => {
    if (done.has(func)) return true;
    active.add(func);
    for (const { call, callee } of callsIn(func)) {
      if (active.has(callee)) recursive = call;
      if (recursive || !visit(callee)) return false;
    }
    active.delete(func);
    done.add(func);
    return true;
  };
  roots.every(visit);
  return { order: [...done], recursive };
}
