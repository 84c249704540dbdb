/**
 * Conditions that are not known: both branches are evaluated, and a name that they bind differently is undecided. A use
 * takes the only definition that is known, with a note; otherwise it is an error. Both name the definitions and the `--define` that would choose.
 */
import { PyError } from "../language/errors.js";
import { type Definition, isKind, isTuple, type Opaque, type PyValue, type Undecided } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";
import { type Binding, type Env, type Host, hostData, jitData, lookup, type Outcome, opaque } from "./objects.js";
import { unknownOf } from "./operators.js";

/** Why two ways are open, and the words for each. */
export interface OpenChoice {
  readonly why: string;
  /** As `Undecided.define`. */
  readonly define: string | undefined;
  readonly when: readonly [first: string, second: string];
}

/** The choice of a condition with that unknown value. */
export function openCondition(host: Host, env: Env, test: ast.Expr, unknown: Opaque): OpenChoice {
  const text = unparse(test);
  return {
    why: `the condition '${text}' is not known${unknown.why.includes(`'${text}'`) ? "" : `: ${unknown.why}`}`,
    define: unknownPart(host, env, test) ?? `${unknown.what}=False`,
    when: [`where '${text}' is true`, `where '${text}' is false`],
  };
}

/** A part of a condition that is not known by itself, with a value that it may have: `MODE='fast'`. */
function unknownPart(host: Host, env: Env, node: ast.Expr, sample = "False"): string | undefined {
  switch (node.kind) {
    case "Name":
    case "Attribute":
    case "Call": {
      const unknown = unknownOf(host.evaluate(env, node));
      const isArgument = node.kind === "Call" && !unknownOf(host.evaluate(env, node.func));
      const inner = isArgument ? firstOf(node.args, (arg) => unknownPart(host, env, arg, sample)) : undefined;
      return unknown && (unknown.undecided?.define ?? inner ?? `${unparse(node)}=${sample}`);
    }
    case "BoolOp":
      return firstOf(node.values, (value) => unknownPart(host, env, value));
    case "UnaryOp":
      return unknownPart(host, env, node.operand);
    case "Compare": {
      const sides = [node.left, ...node.comparators];
      const literal = firstOf(sides, literalText);
      return firstOf(sides, (side) => unknownPart(host, env, side, literal));
    }
    default:
      return undefined;
  }
}
/** The constant that is compared with, `'2.4'` of `version.parse('2.4')`. */
const literalText = (node: ast.Expr): string | undefined =>
  node.kind === "Constant" ? unparse(node) : node.kind === "Call" ? firstOf(node.args, literalText) : undefined;
function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `a if test else b` with a test that is not known: the value where both have it, else undecided. */
export function eitherValue(host: Host, env: Env, node: ast.IfExp, unknown: Opaque): PyValue {
  const choice = openCondition(host, env, node.test, unknown);
  const [a, b] = [node.body, node.orelse].map((branch): Binding => {
    try {
      return { value: host.evaluate(env, branch), at: branch.at };
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      return { value: opaque(branch, `${error.kind}: ${error.message}`), at: branch.at };
    }
  });
  return merged(env, unparse(node), choice, a!, b!);
}

/** Runs both ways that a statement may go, each as if the other were not there, and binds what they leave. */
export function tryBoth(host: Host, env: Env, choice: OpenChoice, ways: readonly [() => Outcome, () => Outcome]): Outcome {
  const [a, b] = ways.map((run) =>
    env.vars.attempt(choice.why, (): Outcome | PyError => {
      try {
        return run();
      } catch (error) {
        if (error instanceof PyError) return error;
        throw error;
      }
    }),
  ) as [Attempt, Attempt];
  if (a.result instanceof PyError && b.result instanceof PyError) throw a.result;
  // A way that ends in `raise` is not the one that was gone.
  const [first, second] = [a.result instanceof PyError ? b : a, b.result instanceof PyError ? a : b];
  for (const name of new Set([...first.changes.keys(), ...second.changes.keys()])) {
    const [x, y] = [first, second].map(({ changes }) => bindingOf(host, env, name, changes)) as [Binding, Binding];
    // Whoever uses a name that one way alone binds went that way.
    const one = x.value === undefined ? y : y.value === undefined ? x : { value: merged(env, name, choice, x, y), at: x.at };
    if (one.value !== undefined) env.vars.bind(name, one.value, one.at);
  }
  return mergedOutcome(env, choice, first.result as Outcome, second.result as Outcome);
}
/** The binding of a name after an attempt: the one made by the attempt, else the one before it. */
function bindingOf(host: Host, env: Env, name: string, changes: Attempt["changes"]): Binding {
  const bound = changes.get(name) ?? { value: env.vars.get(name), at: env.vars.placeOf(name) };
  if (bound.value !== undefined) return bound;
  const outer = env.parent && lookup(env.parent, name);
  return { value: outer === undefined ? (host.builtins.get(name) ?? host.kernelBuiltins.get(name)) : outer, at: undefined };
}
interface Attempt {
  readonly result: Outcome | PyError;
  readonly changes: ReadonlyMap<string, Binding>;
}

function mergedOutcome(env: Env, choice: OpenChoice, a: Outcome, b: Outcome): Outcome {
  if (a === b) return a;
  const [x, y] = [a, b].map((end): Binding | undefined =>
    typeof end === "object" ? { value: end.returned, at: placeOf(end.returned) } : undefined,
  );
  if (x && y) return { returned: merged(env, "the result", choice, x, y) };
  return { returned: { kind: "opaque", what: "the result", why: choice.why, undecided: { define: choice.define, definitions: [] } } };
}

function merged(env: Env, what: string, { why, define, when }: OpenChoice, a: Binding, b: Binding): PyValue {
  const [x, y] = [a.value ?? null, b.value ?? null];
  if (isSame(x, y)) return x;
  // Kernels are compiled only where Triton is: what takes the place of one of its modules elsewhere is no choice.
  const triton = isOfTriton(x) && !isKind(y, "module") ? x : isOfTriton(y) && !isKind(x, "module") ? y : undefined;
  if (triton) return triton;
  const definitions = [a, b].flatMap(({ value = null, at }, i): Undecided["definitions"] => {
    const inner = isKind(value, "opaque") ? value.undecided?.definitions : undefined;
    return inner?.length ? inner : [{ value, when: when[i]!, file: env.file.path, at: placeOf(value) ?? at }];
  });
  return { kind: "opaque", what, why, undecided: { define, definitions } };
}

const isOfTriton = (value: PyValue): boolean => isKind(value, "module") && /^triton(?:$|\.)/.test(value.name);

/** The only definition that is known, which a use takes, and the note that says so; undefined where there are more or none. */
export function choose(name: string, { why, undecided }: Opaque): { readonly message: string; readonly choice: Choice } | undefined {
  const [taken, ...more] = undecided?.definitions.filter(({ value }) => !unknownOf(value)) ?? [];
  if (!taken || more.length > 0) return undefined;
  return { message: `'${name}' is not decided: ${why}; its only known definition is taken`, choice: { undecided: undecided!, taken } };
}
export interface Choice {
  readonly undecided: Undecided;
  readonly taken: Definition;
}

/** Where a function is defined. */
function placeOf(value: PyValue): ast.Place | undefined {
  if (isKind(value, "jit")) return jitData(value).node.at;
  const data = isKind(value, "host_function") ? hostData(value) : undefined;
  return data?.kind === "def" ? data.node.at : undefined;
}

/** Whether it makes no difference which of two values it is: unlike under `==`, 1 is not 1.0. */
function isSame(a: PyValue, b: PyValue): boolean {
  if (a === b || (typeof a === "number" && Object.is(a, b))) return true;
  if (isKind(a, "constexpr") && isKind(b, "constexpr")) return isSame(a.value, b.value);
  if ((isTuple(a) && isTuple(b)) || (isKind(a, "list") && isKind(b, "list")))
    return a.values.length === b.values.length && a.values.every((value, i) => isSame(value, b.values[i]!));
  return isKind(a, "opaque") && isKind(b, "opaque") && a.what === b.what && a.why === b.why && !a.undecided && !b.undecided;
}
