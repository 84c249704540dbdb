/** Visits a node: sets the location of what it makes, and says where an error happened. */
import { type LocationRef, NameLoc, nameLoc, resolveLocation } from "../../ir/location.js";
import { toBytes } from "../../support/utf8.js";
import { PyError } from "../language/errors.js";
import { elementsOf, type PyValue } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { errorRepr, failAt, unsupported } from "./errors.js";
import type { Generator } from "./generator.js";
import { locationOf } from "./locations.js";
import { recovering } from "./recovery.js";
import { codegenRules } from "./version-rules.js";

/** The value of an expression; null for a missing one. */
export function visit(g: Generator, node: ast.Expr | undefined): PyValue {
  return node ? placed(g, node, () => g.compilation.visitor.expression(g, node)) : null;
}

/** Visits the parts of a node that is neither expression nor statement. */
export function placed<T>(g: Generator, node: ast.Node, body: () => T): T {
  const outerNode = g.node;
  const { restoresLocations } = codegenRules(g.compilation.host.triton);
  let loc = g.b.loc;
  g.node = node;
  if (node.at) {
    g.b.loc = locationOf(g, node.at);
    if (!restoresLocations) loc = g.b.loc;
  }
  let result: T;
  try {
    result = body();
  } catch (error) {
    if (error instanceof PyError) failAt(g, g.node, errorRepr(error), "CompilationError", error);
    throw error;
  }
  g.node = outerNode;
  // Before 3.8 it stays that of the node just left: nodes that follow without a place of their own get it.
  g.b.loc = restoresLocations ? named(g, loc) : loc;
  return result;
}

/** A location with the name of what is being assigned to. */
const named = ({ namePrefix, compilation }: Generator, ref: LocationRef): LocationRef => {
  const loc = resolveLocation(compilation.ctx, ref);
  return namePrefix === undefined || NameLoc.is(loc) ? ref : nameLoc(toBytes(namePrefix), loc);
};

/** As many statements are generated at most. */
const STATEMENTS = 400_000;
function tellEndless(g: Generator, statement: ast.Stmt): never {
  const message = `more than ${STATEMENTS} statements are generated: a loop is unrolled too often`;
  return failAt(g, statement, message, "CompilationError", new PyError("TimeoutError", message));
}

/** Visits statements up to the first return: code after it is dead. */
export function visitBody(g: Generator, body: readonly ast.Stmt[]): void {
  for (const statement of body) {
    if (++g.compilation.statements > STATEMENTS) tellEndless(g, statement);
    recovering(g, statement, () => placed(g, statement, () => g.compilation.visitor.statement(g, statement)));
    if (statement.kind === "Return") break;
  }
}

/** Positional arguments with `*tuple` spread, and keyword arguments by name. */
export function visitArguments(
  g: Generator,
  { args, keywords }: { readonly args: readonly ast.Expr[]; readonly keywords: readonly ast.Keyword[] },
): { positional: PyValue[]; named: Map<string, PyValue> } {
  // Keywords are visited first, as Triton does.
  const named = visitKeywords(g, keywords);
  const positional: PyValue[] = [];
  for (const arg of args) {
    if (arg.kind !== "Starred") {
      positional.push(visit(g, arg));
      continue;
    }
    const spread = elementsOf(visit(g, arg.value));
    if (!spread) failAt(g, g.node, "AssertionError()");
    positional.push(...spread);
  }
  return { positional, named };
}

export function visitKeywords(g: Generator, keywords: readonly ast.Keyword[]): Map<string, PyValue> {
  const named = new Map<string, PyValue>();
  for (const keyword of keywords) {
    const { arg, value } = keyword;
    if (arg === undefined) visit(g, value);
    if (arg === undefined) return unsupported(g, keyword, "keyword arguments of a dictionary (`**`) are not supported");
    named.set(
      arg,
      placed(g, keyword, () => visit(g, value)),
    );
  }
  return named;
}
