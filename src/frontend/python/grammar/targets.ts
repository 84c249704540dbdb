/** Targets of assignments, loops and `del` in Python, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type { Build, Match, Peg, Rule } from "./peg.js";
import { expr, type Words } from "./words.js";

type Targets = "star" | "for" | "del";

/** Rules of expressions that targets are made of. */
interface Parts {
  readonly atom: Rule;
  readonly attribute: Rule;
  readonly subscript: Rule;
  /** A rule with attributes, calls and subscripts after it, as long as `more` holds there; and its node. */
  readonly trailed: (head: Rule, more: Rule) => Rule;
  readonly trailedNode: Build;
}

export function targetRules(g: Peg, w: Words, { atom, attribute, subscript, trailed, trailedNode }: Parts) {
  const { seq, alt, many, opt, list, as, node, once, look, not } = g;
  const { op, ops, made, name, comma, lazy, tupleOf, listOf, inner, first } = w;
  const lookahead = ops("(", "[", ".");
  const targetPrimary = once(trailed(atom, look(lookahead)));
  const trailedTarget = alt(
    as("attribute", node(seq(targetPrimary, attribute, not(lookahead)), trailedNode)),
    as("subscript", node(seq(targetPrimary, subscript, not(lookahead)), trailedNode)),
  );
  const parenthesized = (rule: () => Rule): Rule => inner(seq(op("("), lazy(rule), op(")")));
  const starTarget: Rule = once(
    alt(
      made(
        seq(
          op("*"),
          not(op("*")),
          lazy(() => starTarget),
        ),
        (m, ctx) => ({ kind: "Starred", value: expr(m.parts[2]!, ctx), ctx }),
      ),
      lazy(() => unstarredTarget),
    ),
  );
  const starTargetTuple = alt(seq(starTarget, many(seq(comma, starTarget), 1), opt(comma)), seq(starTarget, comma));
  const unstarredTarget = once(
    alt(
      trailedTarget,
      name,
      parenthesized(() => unstarredTarget),
      tupleOf(seq(op("("), opt(starTargetTuple), op(")"))),
      listOf(seq(op("["), opt(seq(list(starTarget, comma), opt(comma))), op("]"))),
    ),
  );
  const starTargets = alt(first(seq(starTarget, not(comma))), tupleOf(seq(starTarget, many(seq(comma, starTarget)), opt(comma))));
  const singleTarget: Rule = alt(
    trailedTarget,
    name,
    parenthesized(() => singleTarget),
  );
  const delTarget: Rule = once(
    alt(
      trailedTarget,
      name,
      parenthesized(() => delTarget),
      tupleOf(seq(op("("), opt(lazy(() => delTargets)), op(")"))),
      listOf(seq(op("["), opt(lazy(() => delTargets)), op("]"))),
    ),
  );
  const delTargets = seq(list(delTarget, comma), opt(comma));

  /** The part of an expression that cannot be assigned to or deleted. */
  const invalidTarget = (match: Match, targets: Targets): Match | undefined => {
    switch (match.kind) {
      case "name":
      case "attribute":
      case "subscript":
        return undefined;
      case "list":
      case "tuple":
        return elementsOf(match)
          .map((e) => invalidTarget(e, targets))
          .find((e) => e !== undefined);
      case "starred":
        return targets === "del" ? match : invalidTarget(match.parts[1]!, targets);
      case "comparison":
        if (targets !== "for") return match;
        return match.parts[1]!.parts[0]!.kind === "in" ? invalidTarget(match.parts[0]!, targets) : undefined;
      default:
        return match;
    }
  };
  const elementsOf = (match: Match): readonly Match[] => match.parts.flatMap((part) => (part.kind === "" ? elementsOf(part) : [part]));
  const refuseTarget = (match: Match, targets: Targets): void => {
    const found = invalidTarget(match, targets);
    if (found) g.fail(found, `cannot ${targets === "del" ? "delete" : "assign to"} ${found.kind}`);
  };

  return { starTarget, starTargets, singleTarget, trailedTarget, delTargets, refuseTarget };
}
