import type { Operation } from "../../ir/operation.js";
import { forEachSymbolUse, symbolName, symbolsOf, symbolVisibility } from "../../ir/symbol-table.js";
import { SymbolTable } from "../../ir/traits.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const symbolDce = definePass("symbol-dce", {
  name: "SymbolDCE",
  summary: "eliminate dead symbols",
  source: "mlir/lib/Transforms/SymbolDCE.cpp",
  statistics: { numDce: "symbols erased" },
  run(root, { listener, count, report }) {
    if (!root.def.traits.has(SymbolTable)) {
      report.error(root, `'${root.name}' op was scheduled to run under SymbolDCE, but does not define a symbol table`);
      return;
    }
    // A module that nobody can look into hides its symbols; one inside another does when it is a private symbol.
    const hidden = root.parentOp === null || symbolName(root) === undefined || symbolVisibility(root) === "private";
    const live = new Set<Operation>();
    markLive(root, hidden, live);

    const rw = new Rewriter(root.ctx, listener);
    const dead: Operation[] = [];
    root.walkPostOrder((table) => {
      if (!table.def.traits.has(SymbolTable)) return;
      for (const block of table.regions[0]!.blocks())
        for (const op of block.ops()) if (symbolName(op) !== undefined && !live.has(op)) dead.push(op);
    });
    for (const op of dead) {
      if (dead.some((other) => other.isProperAncestorOf(op))) continue;
      rw.erase(op);
      count("numDce");
    }
  },
});

/** Adds to `live` the symbols of a table that can be used from outside, and all that live ops refer to. */
function markLive(table: Operation, hidden: boolean, live: Set<Operation>): void {
  const worklist: Operation[] = [];
  for (const block of table.regions[0]!.blocks())
    for (const op of block.ops()) {
      if (symbolName(op) === undefined) worklist.push(op);
      else if (symbolVisibility(op) === "public" || !(hidden || symbolVisibility(op) === "private")) {
        if (live.has(op)) continue;
        live.add(op);
        worklist.push(op);
      }
    }
  const tables = new Map<Operation, Map<string, Operation>>();
  const symbolIn = (parent: Operation, name: string): Operation | undefined => {
    let symbols = tables.get(parent);
    if (!symbols) tables.set(parent, (symbols = symbolsOf(parent)));
    return symbols.get(name);
  };
  for (let op = worklist.pop(); op; op = worklist.pop()) {
    const current = op;
    if (current.def.traits.has(SymbolTable))
      markLive(current, hidden || symbolName(current) === undefined || symbolVisibility(current) === "private", live);
    forEachSymbolUse(current, (_, __, path) => {
      // Each part of a nested reference is a use.
      let parent = current.parentOp;
      for (const name of path) {
        const symbol: Operation | undefined = parent ? symbolIn(parent, name) : undefined;
        if (!symbol) return;
        if (!live.has(symbol)) {
          live.add(symbol);
          worklist.push(symbol);
        }
        parent = symbol;
      }
    });
  }
}
