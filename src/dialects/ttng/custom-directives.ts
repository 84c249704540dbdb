/** Directives of ttng's assembly formats. Source: TritonNvidiaGPU/IR/Ops.cpp, parseToken, parseBarriersAndPreds. */
import type { ParsedOperand } from "../../ir/asm.js";
import { defineCustomDirective, partValues } from "../../syntax/custom-directive.js";
import { AsyncTokenType } from "../ttg/types.js";

/** `[%dep]`, `[]` or nothing: brackets say that the op makes a token, what is in them which one it waits for. */
defineCustomDirective("ttng", "Token", {
  parse(p, state, args) {
    const [dep = "", token = ""] = args;
    if (!p.optPunct("[")) return;
    state.setTypes(token, [AsyncTokenType.get(p.ctx, {})]);
    if (p.optPunct("]")) return;
    state.setOperands(dep, [p.operand()]);
    state.setTypes(dep, [AsyncTokenType.get(p.ctx, {})]);
    p.punct("]");
  },
  print(p, op, args) {
    const [dep = "", token = ""] = args;
    if (partValues(op, token).length > 0) p.write(`[${p.values(partValues(op, dep))}]`);
  },
});

/** `, %barrier[%pred]` any number of times. */
defineCustomDirective("ttng", "BarriersAndPreds", {
  parse(p, state, args) {
    const barriers: ParsedOperand[] = [];
    const preds: ParsedOperand[] = [];
    while (p.optPunct(",")) {
      barriers.push(p.operand());
      p.punct("[");
      preds.push(p.operand());
      p.punct("]");
    }
    state.setOperands(args[0]!, barriers);
    state.setOperands(args[1]!, preds);
  },
  print(p, op, args) {
    const preds = partValues(op, args[1]!);
    partValues(op, args[0]!).forEach((barrier, i) => p.write(`, ${p.value(barrier)}[${p.value(preds[i]!)}]`));
  },
});
