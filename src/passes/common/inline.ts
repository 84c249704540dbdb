import type { Block } from "../../ir/block.js";
import { CallOp, isMemoryEffectFree } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import { forEachSymbolUse, symbolName, symbolVisibility } from "../../ir/symbol-table.js";
import { SingleBlock, SymbolTable } from "../../ir/traits.js";
import { definePass, type PassContext, type PassStep } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { stronglyConnectedComponents } from "../../support/scc.js";
import { CallGraph, type CallGraphNode } from "./call-graph.js";
import { canonicalize } from "./canonicalize.js";
import { cse } from "./cse.js";
import { inlineCall } from "./inline-call.js";

/** -1 as an unsigned number: no limit. */
const NO_THRESHOLD = 0xffffffff;

export const inline = definePass("inline", {
  name: "Inliner",
  summary: "inline function calls",
  source: "mlir/lib/Transforms/InlinerPass.cpp, mlir/lib/Transforms/Utils/Inliner.cpp",
  options: {
    defaultPipeline: option.string({ default: "canonicalize", summary: "the passes that simplify a function" }),
    opPipelines: option.list({ default: [], summary: "pipelines for functions of certain kinds: `tt.func(canonicalize)`" }),
    maxIterations: option.int({ default: 4, summary: "most rounds of simplifying and inlining a group of functions" }),
    inliningThreshold: option.int({
      default: NO_THRESHOLD,
      summary: "inline when the callee has at most this many percent of the caller's operations; 4294967295: always",
    }),
  },
  statistics: { inlined: "calls inlined" },
  run(root, pass) {
    const { options, report } = pass;
    const pipelines = new Map<string, readonly PassStep[] | string>();
    for (const text of options.opPipelines) {
      const open = text.indexOf("(");
      pipelines.set(text.slice(0, open), simplifications(text.slice(open + 1, -1)));
    }
    const fallback = simplifications(options.defaultPipeline);
    for (const steps of [...pipelines.values(), fallback]) if (typeof steps === "string") return report.error(root, steps);
    const simplify = (op: Operation) => (pipelines.get(op.name) ?? fallback) as readonly PassStep[];
    inlineCalls(root, pass, simplify, options.maxIterations, options.inliningThreshold);
  },
});

/** Inlines the calls in `root`, a symbol table, simplifying each function by the steps that `simplifications` names. */
export function inlineCalls(
  root: Operation,
  pass: Pass,
  simplifications: (callable: Operation) => readonly PassStep[],
  maxIterations = 4,
  threshold = NO_THRESHOLD,
): void {
  if (root.def.traits.has(SymbolTable)) return new Inliner(root, pass, simplifications).run(maxIterations, threshold);
  pass.report.error(root, `'${root.name}' op was scheduled to run under the inliner, but does not define a symbol table`);
}

/** The steps of a pipeline for functions, or what is wrong with its text. */
function simplifications(text: string): readonly PassStep[] | string {
  const known = [canonicalize, cse];
  const result = parsePipeline(text, (flag) => known.find((pass) => pass.flag === flag));
  if ("error" in result) return result.error;
  const steps = result.elements.filter((e): e is PassStep => e.kind === "pass");
  return steps.length === result.elements.length ? steps : "a nested pipeline cannot simplify a function";
}

interface ResolvedCall {
  readonly call: Operation;
  readonly source: CallGraphNode;
  readonly target: CallGraphNode;
  /** The inlinings that brought this call about. */
  readonly history: History | undefined;
}
interface History {
  readonly node: CallGraphNode;
  readonly before: History | undefined;
}

type Pass = Pick<PassContext<object, "inlined">, "listener" | "runNested" | "count" | "report">;

class Inliner {
  readonly #graph: CallGraph;
  readonly #uses: SymbolUses;
  readonly #dead = new Set<CallGraphNode>();
  constructor(
    readonly root: Operation,
    readonly pass: Pass,
    readonly simplifications: (callable: Operation) => readonly PassStep[],
  ) {
    this.#graph = new CallGraph(root);
    this.#uses = new SymbolUses(root, this.#graph);
  }

  run(maxIterations: number, threshold: number): void {
    for (const component of stronglyConnectedComponents(this.#graph.external, (node) => [...node.edges])) {
      const nodes = component.filter((node) => node.region !== undefined);
      for (let round = 0; round < Math.max(1, maxIterations); round++) {
        if (!this.simplify(nodes)) return;
        if (!this.inlineCalls(nodes, threshold)) break;
      }
    }
    const rw = new Rewriter(this.root.ctx, this.pass.listener);
    for (const node of this.#dead) rw.erase(node.region!.parentOp!);
  }

  private simplify(nodes: readonly CallGraphNode[]): boolean {
    const simple = nodes.filter((n) => !this.#dead.has(n) && n.children.size === 0 && n.region!.parentOp!.def.isIsolated);
    for (const { region } of simple) {
      const callable = region!.parentOp!;
      if (!this.pass.runNested(this.simplifications(callable), callable)) return false;
    }
    for (const node of simple) this.#uses.recompute(node);
    return true;
  }

  /** Returns whether any call was inlined. */
  private inlineCalls(nodes: readonly CallGraphNode[], threshold: number): boolean {
    const calls: ResolvedCall[] = [];
    for (const node of nodes) {
      if (this.#dead.has(node)) continue;
      if (this.#uses.isDead(node)) this.#dead.add(node);
      else this.collectCalls([...node.region!.blocks()], node, false, undefined, calls);
    }
    let inlined = false;
    // Inlining adds calls at the end.
    for (let i = 0; i < calls.length; i++) {
      const { call, source, target, history } = calls[i]!;
      if (this.#dead.has(source) || includes(history, target) || !shouldInline(calls[i]!, threshold)) continue;
      // The last call to a function that can go takes its body.
      const inPlace = this.#uses.hasOneUse(target);
      const callee = target.region!.parentOp!;
      const done = inlineCall(call, callee, target.region!, {
        clone: !inPlace,
        listener: this.pass.listener,
        processBlocks: (blocks) => {
          const node = this.nodeAround(blocks[0]!.region!);
          this.collectCalls(blocks, node, true, { node: target, before: history }, calls);
        },
      });
      if (!done) continue;
      inlined = true;
      this.pass.count("inlined");
      this.#uses.dropCall(source, call);
      this.#uses.merge(target, source);
      new Rewriter(call.ctx, this.pass.listener).erase(call);
      if (inPlace) {
        this.#uses.erase(target);
        this.#dead.add(target);
      }
    }
    return inlined;
  }

  private nodeAround(region: Region): CallGraphNode {
    let at: Region = region;
    for (;;) {
      const node = this.#graph.node(at);
      if (node) return node;
      at = at.parentRegion!;
    }
  }

  private collectCalls(
    blocks: readonly Block[],
    from: CallGraphNode,
    nested: boolean,
    history: History | undefined,
    calls: ResolvedCall[],
  ) {
    const worklist = blocks.map((block) => ({ block, source: from }));
    for (let item = worklist.pop(); item; item = worklist.pop()) {
      const { block, source } = item;
      for (const op of block.ops()) {
        if (op.def.interface(CallOp)) {
          const target = this.#graph.resolve(op);
          if (target.region) calls.push({ call: op, source, target, history });
          continue;
        }
        for (const region of op.regions) {
          const inner = this.#graph.node(region);
          if (inner && !nested) continue;
          for (const nestedBlock of region.blocks()) worklist.push({ block: nestedBlock, source: inner ?? source });
        }
      }
    }
  }
}

function includes(history: History | undefined, node: CallGraphNode): boolean {
  for (let at = history; at; at = at.before) if (at.node === node) return true;
  return false;
}

function shouldInline({ call, source, target }: ResolvedCall, threshold: number): boolean {
  if (call.def.isTerminator || target.edges.has(target) || target.edges.has(source)) return false;
  const body = target.region!;
  if (call.region!.isInside(body)) return false;
  const around = call.parentOp!;
  if (!body.hasOneBlock && body.parentOp!.name !== around.name && (around.def.traits.has(SingleBlock) || !around.def.registered))
    return false;
  return isProfitable(source.region!, body, threshold);
}
function isProfitable(caller: Region, callee: Region, threshold: number): boolean {
  if (threshold === 0) return false;
  if (threshold >= NO_THRESHOLD || threshold < 0) return true;
  const callerOps = countOps(caller);
  return callerOps === 0 || Math.floor((countOps(callee) * 100) / callerOps) <= threshold;
}
function countOps(region: Region): number {
  let count = 0;
  for (const block of region.blocks())
    for (const op of block.ops())
      op.walk(() => {
        count++;
      });
  return count;
}

/** How often functions are referred to, so that the inliner knows when one is used once, or not at all. */
class SymbolUses {
  /** The functions that may go when unused, and how many uses they have. */
  readonly #uses = new Map<CallGraphNode, number>();
  /** The uses that each function holds: by the function op itself, and inside it. */
  readonly #held = new Map<CallGraphNode, { readonly own: Set<CallGraphNode>; readonly inner: Map<CallGraphNode, number> }>();

  constructor(
    root: Operation,
    readonly graph: CallGraph,
  ) {
    const alwaysLive = new Set<CallGraphNode>();
    this.collect(root, root.parentOp === null, alwaysLive);
    for (const node of alwaysLive) this.#uses.delete(node);
    for (const node of graph.nodes) this.recompute(node);
  }
  private collect(table: Operation, allUsesVisible: boolean, alwaysLive: Set<CallGraphNode>): void {
    for (const block of table.regions[0]!.blocks())
      for (const op of block.ops()) {
        const node = op.regions.map((region) => this.graph.node(region)).find((n) => n !== undefined);
        const visibility = symbolVisibility(op);
        if (node) {
          if (symbolName(op) !== undefined && visibility !== "public" && (allUsesVisible || visibility === "private"))
            this.#uses.set(node, 0);
        } else forEachSymbolUse(op, (name, user) => this.refer(user, name, (used) => alwaysLive.add(used)));
        if (op.def.traits.has(SymbolTable)) this.collect(op, allUsesVisible || visibility === "private", alwaysLive);
      }
  }
  private refer(from: Operation, name: string, visit: (node: CallGraphNode) => void): void {
    const symbol = this.graph.lookup(from, name);
    const node = symbol?.regions.map((region) => this.graph.node(region)).find((n) => n !== undefined);
    if (node) visit(node);
  }
  private add(node: CallGraphNode, by: number): void {
    const count = this.#uses.get(node);
    if (count !== undefined) this.#uses.set(node, count + by);
  }

  isDead(node: CallGraphNode): boolean {
    const op = node.region!.parentOp!;
    if (symbolName(op) === undefined) return isMemoryEffectFree(op) && !op.isUsed();
    return this.#uses.get(node) === 0;
  }
  hasOneUse(node: CallGraphNode): boolean {
    const op = node.region!.parentOp!;
    if (symbolName(op) === undefined) return isMemoryEffectFree(op) && op.results[0]?.hasOneUse() === true;
    return this.#uses.get(node) === 1;
  }
  recompute(node: CallGraphNode): void {
    this.release(node);
    const op = node.region!.parentOp!;
    const own = new Set<CallGraphNode>();
    const inner = new Map<CallGraphNode, number>();
    forEachSymbolUse(op, (name, user) =>
      this.refer(op.parentOp ?? op, name, (used) => {
        if (!this.#uses.has(used)) return;
        if (user !== op) inner.set(used, (inner.get(used) ?? 0) + 1);
        else if (own.has(used)) return;
        else own.add(used);
        this.add(used, 1);
      }),
    );
    this.#held.set(node, { own, inner });
  }
  /** A call inside `node` is about to go. */
  dropCall(node: CallGraphNode, call: Operation): void {
    const inner = this.#held.get(node)?.inner;
    forEachSymbolUse(call, (name) =>
      this.refer(call, name, (used) => {
        const count = inner?.get(used);
        if (count === undefined) return;
        inner!.set(used, count - 1);
        this.add(used, -1);
      }),
    );
  }
  /** A copy of `from`'s body is now in `into`. */
  merge(from: CallGraphNode, into: CallGraphNode): void {
    const target = this.#held.get(into)!.inner;
    for (const [used, count] of this.#held.get(from)!.inner) {
      target.set(used, (target.get(used) ?? 0) + count);
      this.add(used, count);
    }
  }
  erase(node: CallGraphNode): void {
    for (const child of node.children) this.erase(child);
    this.release(node);
    this.#held.delete(node);
    this.#uses.delete(node);
  }
  private release(node: CallGraphNode): void {
    const held = this.#held.get(node);
    if (!held) return;
    for (const used of held.own) this.add(used, -1);
    for (const [used, count] of held.inner) this.add(used, -count);
  }
}
