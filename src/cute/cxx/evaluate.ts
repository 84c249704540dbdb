/**
 * Runs parsed C++: statements in order, expressions by the library. Code that CuTe would refuse to compile becomes a
 * `SyntaxProblem` at the innermost expression that it comes from.
 *
 *   evaluate("auto x = Layout<_8,_1>{}; print(coalesce(x));", ..)   writes  _8:_1
 *
 * Long because statements and expressions call each other; operators and types have files of their own.
 */
import * as arith from "../arithmetic.js";
import { copyNames, mmaNames } from "../atoms/index.js";
import * as any from "../composed-layout.js";
import { unknown } from "../nearest-name.js";
import { numericTypes } from "../numeric-type.js";
import { SyntaxProblem } from "../parse-term.js";
import { at, makeTensor, memoryPointer, store } from "../tensor.js";
import { asInt, CuteError, dyn, get, int, isTuple, lit, tuple, underscore } from "../term.js";
import type { Expr, Segment, Stmt } from "./ast.js";
import { makeLayout } from "./library/algebra.js";
import { memberOfTiled } from "./library/atoms.js";
import { findFunction, findMethod, functionNames, methodNames } from "./library/index.js";
import { printed } from "./library/print.js";
import { binary, cast, construct, coordinate, deduce, elementType, sizeOf } from "./operators.js";
import { parseProgram } from "./parser.js";
import { findType, isTypeTemplate, typeNames, typeValue } from "./types.js";
import { type Builtin, isTerm, layoutOf, nameOfKind, numberOfValue, type Scope, termOf, typeOf, type Value, voidValue } from "./value.js";

/** The environment of a program: its output and its predefined names. */
export interface Environment {
  readonly write: (text: string) => void;
  /** Named constants and types, each an expression (`128`, `half_t`, `half_t*`). */
  readonly defines: ReadonlyMap<string, string>;
}

const namespaces = new Set(["cute", "cutlass", "std", "detail", "SM90", "SM100", "SM120", "GMMA", "UMMA", "SPARSE", "BLOCKSCALED", "cuda"]);
const enumerations = new Set(["Major", "ScaleIn", "ScaleOut", "SparseSel"]);
const maxSteps = 1_000_000;

/** Runs a text; expressions at the top that give a value are printed on a line of their own. */
export function evaluate(text: string, env: Environment): void {
  const program = parseProgram(text);
  const scope = globalScope(env);
  const run = new Run(env);
  for (const stmt of program)
    guard(stmt, () => {
      if (!(stmt.kind === "expression" && printsItself(stmt.value))) return run.statement(stmt, scope);
      const v = run.value(stmt.value, scope);
      if (v.kind === "void") return undefined;
      const out = printed(v);
      return env.write(out.endsWith("\n") ? out : `${out}\n`);
    });
}

/** Evaluates a single expression. */
export function evaluateExpression(text: string, env: Environment): Value {
  const program = parseProgram(text);
  const [only] = program;
  if (program.length !== 1 || only?.kind !== "expression") throw new SyntaxProblem(0, "expected one expression");
  return guard(only, () => new Run(env).value(only.value, globalScope(env)));
}

const printsItself = (e: Expr): boolean =>
  e.kind !== "assign" && e.kind !== "postfix" && !(e.kind === "unary" && (e.op === "++" || e.op === "--"));

function globalScope(env: Environment): Scope {
  const scope: Scope = { values: new Map(), outer: undefined };
  const run = new Run({ ...env, defines: new Map() });
  for (const [name, text] of env.defines) {
    const [stmt] = parseProgram(text);
    if (stmt?.kind !== "expression") throw new SyntaxProblem(0, `--define ${name}: expected an expression or type`);
    const v = run.value(stmt.value, scope);
    scope.values.set(name, v.kind === "type" && v.type.of === "pointer" ? construct(v, []) : v);
  }
  return scope;
}

const lookup = (scope: Scope | undefined, name: string): Value | undefined => {
  for (; scope; scope = scope.outer) {
    const v = scope.values.get(name);
    if (v) return v;
  }
  return undefined;
};

/** Turns a refusal of the library into a problem at `span`. */
function guard<T>(span: { readonly start: number }, f: () => T): T {
  try {
    return f();
  } catch (e) {
    if (e instanceof CuteError) throw new SyntaxProblem(span.start, e.message);
    if (e instanceof RangeError) throw new SyntaxProblem(span.start, "the expression is nested too deeply or too large");
    throw e;
  }
}

type Outcome = { readonly returned: Value } | undefined;

/** One run of a program: counts steps so that endless loops end. */
class Run {
  private steps = 0;
  constructor(private readonly env: Environment) {}

  // ---- statements ----

  statement(s: Stmt, scope: Scope): Outcome {
    switch (s.kind) {
      case "expression":
        this.value(s.value, scope);
        return undefined;
      case "declare":
        this.declare(s, scope);
        return undefined;
      case "using": {
        const v = this.typeOrValue(s.type, scope);
        scope.values.set(s.name, v.kind === "type" ? v : typeValue(typeOf(v)));
        return undefined;
      }
      case "block":
        return this.block(s.body, { values: new Map(), outer: scope });
      case "return":
        return { returned: s.value ? this.value(s.value, scope) : voidValue };
      case "if": {
        const branch = this.truth(s.test, scope) ? s.yes : s.no;
        return branch && this.statement(branch, { values: new Map(), outer: scope });
      }
      case "for":
      case "while":
        return this.loop(s, { values: new Map(), outer: scope });
    }
  }

  private block(body: readonly Stmt[], scope: Scope): Outcome {
    for (const s of body) {
      const outcome = this.statement(s, scope);
      if (outcome) return outcome;
    }
    return undefined;
  }

  private loop(s: Extract<Stmt, { kind: "for" | "while" }>, scope: Scope): Outcome {
    if (s.kind === "for" && s.init) this.statement(s.init, scope);
    while (!s.test || this.truth(s.test, scope)) {
      if (++this.steps > maxSteps) throw new SyntaxProblem(s.start, `the loop runs more than ${maxSteps} times`);
      const outcome = this.statement(s.body, { values: new Map(), outer: scope });
      if (outcome) return outcome;
      if (s.kind === "for" && s.step) this.value(s.step, scope);
    }
    return undefined;
  }

  private declare(s: Extract<Stmt, { kind: "declare" }>, scope: Scope): void {
    const type = s.type && this.declaredType(s.type, scope);
    const [name] = s.names;
    if (s.array && type) {
      const element = guard(s, () => elementType(type));
      const pointer = memoryPointer(element, "raw", s.shared ? 0x400 : 0x1000);
      scope.values.set(name!, { kind: "pointer", pointer });
      return;
    }
    const init = s.init && this.initial(s.init, type, scope);
    const value = init ?? (type ? guard(s, () => construct(type, [])) : undefined);
    if (!value) throw new SyntaxProblem(s.start, `'${name}' needs a value`);
    if (s.names.length === 1) {
      scope.values.set(name!, value);
      return;
    }
    const parts = value.kind === "pack" ? value.items : isTerm(value) && isTuple(value) ? value.items : undefined;
    if (!parts || parts.length !== s.names.length)
      throw new SyntaxProblem(s.start, `${s.names.length} names for ${parts?.length ?? 1} values`);
    s.names.forEach((n, i) => scope.values.set(n, parts[i]!));
  }

  /** A declared type; a class template without arguments (`Layout x = ..`) deduces like `auto`. */
  private declaredType(e: Expr, scope: Scope): Value | undefined {
    if (e.kind === "name" && e.path.length === 1 && !e.path[0]!.templateArgs) {
      const { name } = e.path[0]!;
      if (!lookup(scope, name) && (isTypeTemplate(name) || name === "Tensor")) return undefined;
    }
    return this.typeOrValue(e, scope);
  }

  private initial(e: Expr, type: Value | undefined, scope: Scope): Value {
    if (e.kind === "brace" && e.type === undefined) {
      const args = e.args.map((a) => this.value(a, scope));
      if (type) return guard(e, () => construct(type, args));
      if (args.length === 1) return args[0]!;
      return guard(e, () => makeLayout(args));
    }
    const v = this.value(e, scope);
    return type && (v.kind === "number" || v.kind === "int") && typeOf(type).of === "numeric" ? guard(e, () => construct(type, [v])) : v;
  }

  private truth(e: Expr, scope: Scope): boolean {
    return guard(e, () => numberOfValue(this.value(e, scope))) !== 0;
  }

  // ---- expressions ----

  /** The value of an expression; a type by itself is an error only where it is used. */
  value(e: Expr, scope: Scope): Value {
    switch (e.kind) {
      case "number":
        if (e.isFloat) return { kind: "number", type: numericTypes.get("double")!, value: e.value };
        return int(e.value, e.isStatic);
      case "string":
        return { kind: "string", value: e.value };
      case "name":
        return this.name(e, scope);
      case "brace":
        return this.brace(e, scope);
      case "call":
        return this.call(e, scope);
      case "member":
        return this.member(e, scope);
      case "scope":
        return guard(e, () => this.typeMember(this.value(e.type, scope), e.member, scope));
      case "index": {
        const [object, index] = [this.value(e.object, scope), this.value(e.index, scope)];
        return guard(e, () => this.index(object, index));
      }
      case "unary":
        return this.unary(e, scope);
      case "postfix": {
        const old = this.value(e.operand, scope);
        this.assign(e.operand, binary(e.op[0]!, old, dyn(1)), scope);
        return old;
      }
      case "binary":
        return this.binary(e, scope);
      case "assign": {
        const right = this.value(e.value, scope);
        const v = e.op === "=" ? right : guard(e, () => binary(e.op.slice(0, -1), this.value(e.target, scope), right));
        this.assign(e.target, v, scope);
        return v;
      }
      case "conditional":
        return this.truth(e.test, scope) ? this.value(e.yes, scope) : this.value(e.no, scope);
      case "cast": {
        const [type, v] = [this.typeOrValue(e.type, scope), this.value(e.value, scope)];
        return guard(e, () => cast(type, v));
      }
      case "decltype": {
        const v = this.value(e.value, scope);
        return v.kind === "type" ? v : typeValue(typeOf(v));
      }
      case "sizeof":
        return guard(e, () => dyn(sizeOf(this.value(e.value, scope))));
      case "pointer":
        return typeValue({ of: "pointer", to: typeOf(this.typeOrValue(e.to, scope)) });
      case "lambda":
        return { kind: "closure", parameters: e.parameters, body: e.body, scope };
    }
  }

  private typeOrValue(e: Expr, scope: Scope): Value {
    return this.value(e, scope);
  }

  private name(e: Extract<Expr, { kind: "name" }>, scope: Scope): Value {
    let i = 0;
    while (i < e.path.length - 1 && namespaces.has(e.path[i]!.name) && !lookup(scope, e.path[i]!.name)) i++;
    const first = e.path[i]!;
    if (enumerations.has(first.name) && e.path[i + 1])
      return {
        kind: "enum",
        name: e.path
          .slice(i)
          .map((s) => s.name)
          .join("::"),
      };
    let v = this.segment(first, scope);
    for (const member of e.path.slice(i + 1)) v = guard(member.span, () => this.typeMember(v, member, scope));
    return v;
  }

  private segment(s: Segment, scope: Scope): Value {
    const local = lookup(scope, s.name);
    if (local && (!s.templateArgs || local.kind !== "type")) return local;
    if (s.name === "_") return underscore;
    if (s.name === "true" || s.name === "false") return dyn(Number(s.name === "true"));
    if (s.name === "nullptr" || s.name === "NULL") return { kind: "pointer", pointer: memoryPointer(numericTypes.get("uint8_t")!, "raw") };
    const args = s.templateArgs?.map((a) => this.value(a, scope));
    const type = guard(s.span, () => findType(s.name, args));
    if (type) return type;
    const f = findFunction(s.name);
    if (f) return { kind: "function", name: s.name, call: (c) => f({ ...c, templateArgs: args ?? [] }) };
    throw this.unknownName(s, scope);
  }

  private unknownName({ name, span }: Segment, scope: Scope): SyntaxProblem {
    const problem = (message: string, lacks?: string) => new SyntaxProblem(span.start, message, lacks);
    if (isTypeTemplate(name)) return problem(`${name} needs template arguments`);
    const locals: string[] = [];
    for (let x: Scope | undefined = scope; x; x = x.outer) locals.push(...x.values.keys());
    if (/^(SM\d+_|MMA_|GMMA_)/.test(name)) return problem(unknown("operation", name, [...mmaNames(), ...copyNames()]));
    const message = unknown("name", name, [...locals, ...functionNames(), ...typeNames()]);
    // A short name is near to many others; a name that only the rest of the article's file defines has no near one.
    const isParameter = name.length <= 2 || !message.includes("did you mean");
    if (!isParameter) return problem(message);
    const lacks = `${name}=${name === "T" ? "half_t" : "128"}`;
    return problem(`unknown name '${name}'; if the code around defines it, give it a value: --define ${lacks}`, lacks);
  }

  private brace(e: Extract<Expr, { kind: "brace" }>, scope: Scope): Value {
    const args = () => e.args.map((a) => this.value(a, scope));
    if (!e.type) return guard(e, () => tuple(...args().map(termOf)));
    const deduced = e.type.kind === "name" && e.type.path.at(-1)!;
    if (deduced && !deduced.templateArgs && isTypeTemplate(deduced.name) && !lookup(scope, deduced.name))
      return guard(e, () => deduce(deduced.name, args()));
    const type = this.value(e.type, scope);
    return guard(e, () => construct(type, args()));
  }

  private call(e: Extract<Expr, { kind: "call" }>, scope: Scope): Value {
    const { callee } = e;
    if (callee.kind === "member") {
      const object = this.value(callee.object, scope);
      const args = e.args.map((a) => this.value(a, scope));
      return guard(callee.member.span, () => this.method(object, callee.member, args, scope));
    }
    if (callee.kind === "name") {
      const last = callee.path.at(-1)!;
      const local = callee.path.length === 1 ? lookup(scope, last.name) : undefined;
      if (!local) {
        const f = findFunction(last.name);
        if (f) {
          const templateArgs = last.templateArgs?.map((a) => this.value(a, scope)) ?? [];
          const args = e.args.map((a) => this.argument(a, last.name, templateArgs, scope));
          return guard(e, () => this.invokeBuiltin(f, last.name, args, templateArgs));
        }
        if (!last.templateArgs && isTypeTemplate(last.name))
          return guard(e, () =>
            deduce(
              last.name,
              e.args.map((a) => this.value(a, scope)),
            ),
          );
      }
    }
    const f = this.value(callee, scope);
    const args = e.args.map((a) => this.value(a, scope));
    return guard(e, () => this.invoke(f, args));
  }

  /** An argument; a pointer that was never declared may be given to make_gmem_ptr: it points to T. */
  private argument(a: Expr, f: string, templateArgs: readonly Value[], scope: Scope): Value {
    if (/^make_[gsr]mem_ptr$/.test(f) && a.kind === "name" && a.path.length === 1) {
      const { name } = a.path[0]!;
      if (!lookup(scope, name) && !findType(name, undefined) && !findFunction(name) && name !== "nullptr") {
        const element = templateArgs[0] ?? lookup(scope, "T") ?? lookup(scope, "Element");
        if (!element)
          throw new SyntaxProblem(
            a.start,
            `unknown pointer '${name}'; give its element type: --define '${name}=half_t*' (or define T)`,
            `${name}=half_t*`,
          );
        return guard(a, () => ({ kind: "pointer", pointer: memoryPointer(elementType(element), "raw") }));
      }
    }
    return this.value(a, scope);
  }

  private invokeBuiltin(f: Builtin, name: string, args: readonly Value[], templateArgs: readonly Value[]): Value {
    return f({ name, args, templateArgs, write: this.env.write, invoke: (g, xs) => this.invoke(g, xs) });
  }

  /** Calls a function value, or applies a layout, swizzle or tensor to coordinates. */
  private invoke(f: Value, args: readonly Value[]): Value {
    switch (f.kind) {
      case "function":
        return this.invokeBuiltin(f.call, f.name, args, []);
      case "closure": {
        const scope: Scope = { values: new Map(), outer: f.scope };
        f.parameters.forEach((p, i) => {
          const v = args[i];
          if (!v) throw new CuteError(`the lambda needs ${f.parameters.length} arguments`);
          scope.values.set(p, v);
        });
        return this.block(f.body, scope)?.returned ?? voidValue;
      }
      case "layout":
      case "composed":
      case "swizzle":
        return any.apply(f, coordinate(args));
      case "tensor":
        return at(f, coordinate(args));
      case "int":
        if (args.length === 0) return dyn(f.value);
        break;
      case "type":
        return construct(f, args);
      default:
    }
    throw new CuteError(`${nameOfKind(f)} cannot be called`);
  }

  private method(object: Value, s: Segment, args: readonly Value[], scope: Scope): Value {
    const target = object.kind === "type" && object.type.of === "value" ? object.type.value : object;
    const f = findMethod(target, s.name);
    const templateArgs = s.templateArgs?.map((a) => this.value(a, scope)) ?? [];
    if (f) return this.invokeBuiltin(f, s.name, [target, ...args], templateArgs);
    if (target.kind === "mma-atom" || target.kind === "copy-atom") {
      if (s.name === "with") return target;
    }
    throw new CuteError(unknown("method", s.name, methodNames(target)));
  }

  private member(e: Extract<Expr, { kind: "member" }>, scope: Scope): Value {
    const object = this.value(e.object, scope);
    return guard(e.member.span, () => this.typeMember(object, e.member, scope));
  }

  /** `X::name`: a constant or type inside a class; `X::value` of integers. */
  private typeMember(v: Value, s: Segment, scope: Scope): Value {
    const type = typeOf(v);
    if (type.of === "value") {
      const inner = type.value;
      const found = memberOfTiled(inner, s.name);
      if (found) return found.kind === "int" || found.kind === "type" ? found : typeValue({ of: "value", value: found });
      if (s.name === "value" && isTerm(inner)) return inner.kind === "basis" ? inner.value : dyn(numberOfValue(inner));
      if (s.name === "type") return v;
      if (s.name === "rank" && (inner.kind === "layout" || inner.kind === "composed" || inner.kind === "tensor"))
        return dyn(any.rank(layoutOf(inner)));
      if (inner.kind === "tensor" && /^(value_type|element_type)$/.test(s.name) && inner.data.kind === "memory")
        return typeValue({ of: "numeric", type: inner.data.element });
      if (inner.kind === "tensor" && s.name === "layout_type") return typeValue({ of: "value", value: inner.layout });
      const f = findMethod(inner, s.name);
      if (f) {
        const templateArgs = s.templateArgs?.map((a) => this.value(a, scope)) ?? [];
        return { kind: "function", name: s.name, call: (c) => f({ ...c, args: [inner, ...c.args], templateArgs }) };
      }
    }
    if (type.of === "numeric" && s.name === "type") return v;
    throw new CuteError(`${nameOfKind(v)} has no member '${s.name}'`);
  }

  private index(object: Value, index: Value): Value {
    if (object.kind === "tensor") return at(object, termOf(index));
    if (object.kind === "pointer") return at(makeTensor(object.pointer, { kind: "layout", shape: lit(1), stride: lit(1) }), termOf(index));
    if (object.kind === "pack") return object.items[numberOfValue(index)] ?? voidValue;
    return get(termOf(object), numberOfValue(index));
  }

  private unary(e: Extract<Expr, { kind: "unary" }>, scope: Scope): Value {
    if (e.op === "++" || e.op === "--") {
      const v = guard(e, () => binary(e.op[0]!, this.value(e.operand, scope), dyn(1)));
      this.assign(e.operand, v, scope);
      return v;
    }
    const v = this.value(e.operand, scope);
    return guard(e, () => {
      if (e.op === "&") return v;
      if (e.op === "*") return v.kind === "pointer" ? this.index(v, lit(0)) : v;
      if (v.kind === "number") return { ...v, value: e.op === "-" ? -v.value : e.op === "!" ? Number(!v.value) : v.value };
      const t = termOf(v);
      if (e.op === "-") return arith.neg(t);
      const x = asInt(t);
      if (!x) throw new CuteError(`cannot apply ${e.op} to ${nameOfKind(v)}`);
      return e.op === "!" ? int(Number(x.value === 0), x.isStatic) : e.op === "~" ? int(~x.value, x.isStatic) : x;
    });
  }

  private binary(e: Extract<Expr, { kind: "binary" }>, scope: Scope): Value {
    const left = this.value(e.left, scope);
    if (e.op === "&&" || e.op === "||") {
      const x = guard(e.left, () => numberOfValue(left));
      if ((e.op === "&&") === (x === 0)) return int(Number(x !== 0), left.kind === "int" && left.isStatic);
    }
    const right = this.value(e.right, scope);
    return guard(e, () => binary(e.op, left, right));
  }

  private assign(target: Expr, v: Value, scope: Scope): void {
    if (target.kind === "name" && target.path.length === 1) {
      const { name } = target.path[0]!;
      for (let s: Scope | undefined = scope; s; s = s.outer) {
        if (!s.values.has(name)) continue;
        s.values.set(name, v);
        return;
      }
      throw new SyntaxProblem(target.start, `'${name}' is not declared`);
    }
    const [object, args] =
      target.kind === "call" ? [target.callee, target.args] : target.kind === "index" ? [target.object, [target.index]] : [undefined, []];
    const tensor = object && this.value(object, scope);
    if (tensor?.kind === "pointer") {
      guard(target, () => store(tensor.pointer, coordinate(args.map((a) => this.value(a, scope))), numberOfValue(v)));
      return;
    }
    if (tensor?.kind !== "tensor") throw new SyntaxProblem(target.start, "cannot assign to this");
    guard(target, () => store(tensor.data, any.apply(tensor.layout, coordinate(args.map((a) => this.value(a, scope)))), numberOfValue(v)));
  }
}
