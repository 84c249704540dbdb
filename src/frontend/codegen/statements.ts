/** Statements. Source: code_generator.py, CodeGenerator.visit_*. */

import { callBuiltin } from "../language/define-builtin.js";
import { raise } from "../language/errors.js";
import { CORE } from "../language/operators.js";
import type * as ast from "../python/ast.js";
import { visitAnnAssign, visitAssign, visitAugAssign } from "./assign.js";
import { visitIf } from "./branches.js";
import { RETURN_IN_LOOP, unsupported } from "./errors.js";
import type { Generator } from "./generator.js";
import { visitFor, visitWhile } from "./loops.js";
import { codegenRules } from "./version-rules.js";
import { visit } from "./visit.js";
import { visitWith } from "./with.js";

/** Generates the ops of a statement. Source: python/triton/compiler/code_generator.py. */
export function visitStatement(g: Generator, node: ast.Stmt): void {
  switch (node.kind) {
    case "Expr":
      g.unused = node.value;
      visit(g, node.value);
      return;
    case "Assign":
      if (node.targets.length !== 1) return raise("AssertionError", "`a = b = value` is not supported: assign to one target at a time");
      return visitAssign(g, node.targets[0]!, node.value);
    case "AugAssign":
      return visitAugAssign(g, node);
    case "AnnAssign":
      return visitAnnAssign(g, node);
    case "Return":
      return visitReturn(g, node);
    case "If":
      return visitIf(g, node);
    case "For":
      return visitFor(g, node);
    case "While":
      return visitWhile(g, node);
    case "With":
      return visitWith(g, node);
    case "Assert": {
      const test = visit(g, node.test);
      const message = node.msg ? visit(g, node.msg) : "";
      callBuiltin(g.s, CORE.get("device_assert")!, [test, message]);
      return;
    }
    case "Pass":
      return;
    case "FunctionDef":
      return unsupported(g, node, codegenRules(g.compilation.host.triton).nestedFunction);
    case "Unsupported":
      return unsupported(g, node, `unsupported AST node type: ${node.name}`);
    default:
      return unsupported(g, node, `unsupported AST node type: ${node.kind}`);
  }
}

function visitReturn(g: Generator, node: ast.Return): void {
  if (g.loopDepth > 0) unsupported(g, node, RETURN_IN_LOOP);
  codegenRules(g.compilation.host.triton).returns.visit(g, visit(g, node.value));
}
