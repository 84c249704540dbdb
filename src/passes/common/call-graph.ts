/** Who calls whom in a module. Source: mlir/lib/Analysis/CallGraph.cpp. */
import { CallableOp, CallOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { nearestSymbolTable, symbolsOf } from "../../ir/symbol-table.js";

/** A function with a body; `external`, without one, stands for callers from outside and callees nobody knows. */
export interface CallGraphNode {
  readonly region: Region | undefined;
  /** The nodes it calls or, for `external`, that can be called from outside; each once, in order. */
  readonly edges: Set<CallGraphNode>;
  /** Nodes of callable ops nested in it. */
  readonly children: Set<CallGraphNode>;
}

export class CallGraph {
  readonly external: CallGraphNode = { region: undefined, edges: new Set(), children: new Set() };
  readonly #unknown: CallGraphNode = { region: undefined, edges: new Set(), children: new Set() };
  readonly #nodes = new Map<Region, CallGraphNode>();
  readonly #symbols = new Map<Operation, Map<string, Operation>>();

  constructor(root: Operation) {
    // First all callables, then the calls: a callee may come later.
    this.addCallables(root, undefined);
    this.addCalls(root, undefined);
  }

  get nodes(): Iterable<CallGraphNode> {
    return this.#nodes.values();
  }
  node(region: Region | undefined): CallGraphNode | undefined {
    return region && this.#nodes.get(region);
  }
  /** The function a call goes to; the unknown one when there is no such function with a body. */
  resolve(call: Operation): CallGraphNode {
    const name = call.def.interface(CallOp)!.callee(call);
    const callee = name === undefined ? undefined : this.lookup(call, name);
    return this.node(callee?.def.interface(CallableOp)?.region(callee)) ?? this.#unknown;
  }
  /** The symbol of that name in the table nearest to `from`. */
  lookup(from: Operation, name: string): Operation | undefined {
    const table = nearestSymbolTable(from);
    if (!table) return undefined;
    let symbols = this.#symbols.get(table);
    if (!symbols) this.#symbols.set(table, (symbols = symbolsOf(table)));
    return symbols.get(name);
  }

  private addCallables(op: Operation, parent: CallGraphNode | undefined): void {
    let inside = parent;
    const callable = op.def.interface(CallableOp);
    if (callable) {
      const region = callable.region(op);
      if (!region || region.empty) return;
      inside = { region, edges: new Set(), children: new Set() };
      this.#nodes.set(region, inside);
      if (parent) {
        parent.children.add(inside);
        parent.edges.add(inside);
      } else this.external.edges.add(inside);
    }
    for (const region of op.regions)
      for (const block of region.blocks())
        for (const nested of block.ops()) if (nested.regions.length > 0) this.addCallables(nested, inside);
  }
  private addCalls(op: Operation, parent: CallGraphNode | undefined): void {
    if (op.def.interface(CallOp)) {
      parent?.edges.add(this.resolve(op));
      return;
    }
    let inside = parent;
    const callable = op.def.interface(CallableOp);
    if (callable) {
      inside = this.node(callable.region(op));
      if (!inside) return;
    }
    for (const region of op.regions) for (const block of region.blocks()) for (const nested of block.ops()) this.addCalls(nested, inside);
  }
}
