/**
 * Compiles upstream's declarative assembly formats to directive lists that the parser and printer run.
 * Source: mlir/docs/DefiningDialects/Operations.md, "Declarative Assembly Format"; mlir/tools/mlir-tblgen/OpFormatGen.cpp.
 */
import type { NamedAttrSpec, OpDef } from "../ir/define-op.js";
import type { TypeRule } from "../ir/traits.js";
import { Bug } from "../support/assert.js";
import { type CustomDirective, customDirective } from "./custom-directive.js";
import { partOf } from "./format-parts.js";

/** A named part of the op that a directive refers to. */
export type Slot =
  | { readonly kind: "operand"; readonly index: number; readonly name: string }
  | { readonly kind: "result"; readonly index: number; readonly name: string }
  | { readonly kind: "attr"; readonly index: number; readonly name: string }
  | { readonly kind: "region"; readonly index: number; readonly name: string }
  | { readonly kind: "successor"; readonly index: number; readonly name: string }
  | { readonly kind: "operands" | "results" | "regions" | "successors"; readonly index: -1; readonly name: string };

export type CustomArg =
  | { readonly kind: "slot"; readonly slot: Slot; readonly ref: boolean }
  | { readonly kind: "type"; readonly slot: Slot; readonly ref: boolean }
  | { readonly kind: "attr-dict" }
  | { readonly kind: "string"; readonly text: string };

/** `space`: print a space before the element (literals decide by their own rule, at compile time). */
export type Directive =
  | { readonly kind: "literal"; readonly text: string; readonly space: boolean; readonly isKeyword: boolean }
  | { readonly kind: "whitespace"; readonly text: string }
  | { readonly kind: "slot"; readonly slot: Slot; readonly space: boolean; readonly qualified: boolean }
  | { readonly kind: "type"; readonly slot: Slot; readonly space: boolean; readonly qualified: boolean }
  | { readonly kind: "functional-type"; readonly inputs: Slot; readonly results: Slot; readonly space: boolean }
  | { readonly kind: "attr-dict"; readonly keyword: boolean }
  | {
      readonly kind: "custom";
      readonly name: string;
      readonly args: readonly CustomArg[];
      readonly argNames: readonly string[];
      readonly space: boolean;
    }
  | {
      readonly kind: "optional";
      readonly anchor: Directive;
      /** The anchor is a unit attribute: its presence is that of the group. */
      readonly then: readonly Directive[];
      readonly otherwise: readonly Directive[];
      readonly inverted: boolean;
    }
  | {
      readonly kind: "oilist";
      readonly clauses: readonly { readonly keyword: string; readonly body: readonly Directive[]; readonly space: boolean }[];
    };

/** The facts about a top-level directive that the parser has beforehand. All have the same shape, for the sake of hot loops. */
export interface Step {
  /** `type` and `operand`: of a part that is one value. */
  readonly kind: "literal" | "operand" | "type" | "attr" | "custom" | "other";
  readonly directive: Directive;
  /** An attribute dictionary right before a literal: it is there where the literal is not. */
  readonly dictionary: Directive | undefined;
  /** A literal as it is printed, with the spaces around it; undefined where what follows could make it another token. */
  readonly printed: string | undefined;
  /** Which part: operand groups, then result groups; of `attr` which attribute. */
  readonly part: number;
  readonly custom: CustomDirective | undefined;
  /** True if only some kinds of types are allowed here. */
  readonly restricted: boolean;
}

export interface FormatProgram {
  readonly directives: readonly Directive[];
  readonly steps: readonly Step[];
  /** Whether every operand group is one operand that the format spells by itself, and no group has a size to be noted. */
  readonly plainOperands: boolean;
  /** Attributes that the attribute dictionary leaves out: those that the format spells itself, and sizes. */
  readonly bound: readonly string[];
  /** Attributes that are left out when they have their default value. */
  readonly defaults: readonly NamedAttrSpec[];
  readonly rules: readonly PartRule[];
}

/** A type rule of the op with its parts as numbers (see `Step.part`). */
export type PartRule =
  | { readonly kind: "same"; readonly parts: readonly number[] }
  | {
      readonly kind: "from";
      readonly from: number;
      readonly to: number;
      readonly fromName: string;
      readonly transform: Extract<TypeRule, { kind: "from" }>["transform"];
    };

function compileRules(def: OpDef): PartRule[] {
  return def.typeRules.map((rule) =>
    rule.kind === "same"
      ? { kind: "same", parts: rule.names.map((name) => partOf(def, name)) }
      : { kind: "from", from: partOf(def, rule.from), to: partOf(def, rule.to), fromName: rule.from, transform: rule.transform },
  );
}

/** The code of a `custom<Name>(...)` directive. */
export function directiveOf(def: OpDef, { name }: { readonly name: string }): CustomDirective {
  const directive = customDirective(def, name);
  if (!directive) throw new Bug(`${def.name}: custom<${name}> is not defined`);
  return directive;
}

function compileSteps(def: OpDef, directives: readonly Directive[]): Step[] {
  const steps: Step[] = [];
  // Whether the space before the directive was read with the literal before it.
  let spaceRead = false;
  directives.forEach((directive, i) => {
    const next = directives[i + 1];
    const step = { directive, dictionary: undefined, printed: undefined, part: -1, custom: undefined, restricted: false };
    if (directive.kind === "literal") {
      const before = directives[i - 1];
      const dictionary = before?.kind === "attr-dict" ? before : undefined;
      if (dictionary) steps.pop();
      const space = next !== undefined && "space" in next && next.space;
      const isWhole = space || (!directive.isKeyword && directive.text !== ":" && directive.text !== "-");
      const printed = isWhole ? `${directive.space && !spaceRead ? " " : ""}${directive.text}${space ? " " : ""}` : undefined;
      steps.push({ ...step, kind: "literal", dictionary, printed });
      spaceRead = space && printed !== undefined;
      return;
    }
    spaceRead = false;
    if (directive.kind === "whitespace") return;
    if (directive.kind === "custom") return void steps.push({ ...step, kind: "custom", custom: directiveOf(def, directive) });
    if (directive.kind === "slot" && directive.slot.kind === "attr")
      return void steps.push({ ...step, kind: "attr", part: directive.slot.index });
    const slot = directive.kind === "slot" || directive.kind === "type" ? directive.slot : undefined;
    const isOperand = slot?.kind === "operand";
    const spec = isOperand ? def.operands[slot.index] : slot?.kind === "result" ? def.results[slot.index] : undefined;
    if (!slot || spec?.arity !== "single") steps.push({ ...step, kind: "other" });
    else {
      const part = isOperand ? slot.index : def.operands.length + slot.index;
      const restricted = spec.constraint.kind !== undefined || strippedKind(def, slot) !== undefined;
      steps.push({ ...step, kind: directive.kind === "type" ? "type" : "operand", part, restricted });
    }
  });
  return steps;
}

/** The kind of type that a single operand or result must have, if formats write it without its name. */
export function strippedKind(def: OpDef, slot: Slot): string | undefined {
  const spec = slot.kind === "operand" ? def.operands[slot.index] : slot.kind === "result" ? def.results[slot.index] : undefined;
  return spec?.arity === "single" ? spec.constraint.stripped : undefined;
}

/** The compiled format of an op, made at first use. */
export function programOf(def: OpDef): FormatProgram {
  return (def.program ??= compileFormat(def)) as FormatProgram;
}

export function compileFormat(def: OpDef): FormatProgram {
  const tokens = tokenize(def);
  const compiler = new Compiler(def, tokens);
  const directives = compiler.sequence(() => compiler.done);
  for (const { partSizes } of def.operands) if (partSizes !== undefined) compiler.bound.add(partSizes);
  if (def.sizedOperands) compiler.bound.add("operandSegmentSizes");
  if (def.sizedResults) compiler.bound.add("resultSegmentSizes");
  const bound = [...compiler.bound];
  return {
    directives,
    steps: compileSteps(def, directives),
    plainOperands: !def.sizedOperands && def.operands.every((spec) => spec.arity === "single"),
    bound,
    defaults: def.attrs.filter((spec) => spec.default && !compiler.bound.has(spec.name)),
    rules: compileRules(def),
  };
}

function tokenize(def: OpDef): string[] {
  const tokens = def.format!.match(/`[^`]*`|\$[A-Za-z_]\w*|[A-Za-z_][\w-]*|"[^"]*"|[()<>?:,^|]|\S/g) ?? [];
  return tokens;
}

class Compiler {
  readonly bound = new Set<string>();
  #at = 0;
  // The state by which upstream's generator decides about spaces.
  #emitSpace = true;
  #lastWasPunctuation = false;

  constructor(
    readonly def: OpDef,
    readonly tokens: readonly string[],
  ) {}

  get done(): boolean {
    return this.#at >= this.tokens.length;
  }
  sequence(until: () => boolean): Directive[] {
    const directives: Directive[] = [];
    while (!until()) directives.push(this.directive());
    return directives;
  }

  private peek(): string | undefined {
    return this.tokens[this.#at];
  }
  private next(): string {
    return this.tokens[this.#at++] ?? this.bad("ends too early");
  }
  private expect(token: string): void {
    const got = this.next();
    if (got !== token) this.bad(`expected '${token}', got '${got}'`);
  }
  private bad(why: string): never {
    throw new Bug(`${this.def.name}: assembly format ${why}`);
  }

  private directive(): Directive {
    const token = this.next();
    if (token[0] === "`") return this.literal(token.slice(1, -1));
    if (token[0] === "(") return this.optionalGroup();
    if (token[0] === "$") return this.slotDirective(this.slot(token.slice(1)), false);
    switch (token) {
      case "attr-dict":
      case "attr-dict-with-keyword":
        this.#lastWasPunctuation = false;
        this.#emitSpace = true;
        return { kind: "attr-dict", keyword: token.endsWith("keyword") };
      case "prop-dict":
        return { kind: "whitespace", text: "" };
      case "qualified": {
        this.expect("(");
        const inner = this.next();
        const result: Directive =
          inner === "type"
            ? { kind: "type", slot: this.parenSlot(), space: this.space(), qualified: true }
            : this.slotDirective(this.slot(inner.slice(1)), true);
        this.expect(")");
        return result;
      }
      case "type":
        return { kind: "type", slot: this.parenSlot(), space: this.space(), qualified: false };
      case "functional-type": {
        this.expect("(");
        const inputs = this.anySlot();
        this.expect(",");
        const results = this.anySlot();
        this.expect(")");
        return { kind: "functional-type", inputs, results, space: this.space() };
      }
      case "operands":
      case "results":
      case "regions":
      case "successors":
        return this.slotDirective({ kind: token, index: -1, name: token }, false);
      case "custom":
        return this.customDirective();
      case "oilist":
        return this.oilist();
      default:
        return this.bad(`has unknown directive '${token}'`);
    }
  }

  private space(): boolean {
    const space = this.#emitSpace || !this.#lastWasPunctuation;
    this.#lastWasPunctuation = false;
    this.#emitSpace = true;
    return space;
  }

  private literal(text: string): Directive {
    if (text === "" || /^\s+$/.test(text) || text === "\\n") {
      this.#lastWasPunctuation = text === "";
      this.#emitSpace = false;
      return { kind: "whitespace", text: text === "\\n" ? "\n" : text };
    }
    const space = this.#emitSpace && literalWantsSpace(text, this.#lastWasPunctuation);
    this.#emitSpace = text.length !== 1 || !"<({[".includes(text);
    this.#lastWasPunctuation = !/^[A-Za-z_]/.test(text);
    return { kind: "literal", text, space, isKeyword: /^[A-Za-z_]/.test(text) };
  }

  private slotDirective(slot: Slot, qualified: boolean): Directive {
    if (slot.kind === "attr") this.bound.add(slot.name);
    return { kind: "slot", slot, qualified, space: this.space() };
  }

  private parenSlot(): Slot {
    this.expect("(");
    const slot = this.anySlot();
    this.expect(")");
    return slot;
  }
  private anySlot(): Slot {
    const token = this.next();
    if (token === "operands" || token === "results") return { kind: token, index: -1, name: token };
    return this.slot(token.slice(1));
  }
  private slot(name: string): Slot {
    const { def } = this;
    const find = (specs: readonly { readonly name: string }[]) => specs.findIndex((s) => s.name === name);
    let index: number;
    if ((index = find(def.operands)) >= 0) return { kind: "operand", index, name };
    if ((index = find(def.attrs)) >= 0) return { kind: "attr", index, name };
    if ((index = find(def.results)) >= 0) return { kind: "result", index, name };
    if ((index = find(def.regions)) >= 0) return { kind: "region", index, name };
    if ((index = find(def.successors)) >= 0) return { kind: "successor", index, name };
    return this.bad(`names unknown part '$${name}'`);
  }

  private optionalGroup(): Directive {
    let anchor: Directive | undefined;
    let anchorInElse = false;
    const read = (isElse: boolean): Directive[] => {
      const list: Directive[] = [];
      while (this.peek() !== ")") {
        const directive = this.directive();
        if (this.peek() === "^") {
          this.next();
          anchor = directive;
          anchorInElse = isElse;
        }
        list.push(directive);
      }
      this.next();
      return list;
    };
    let then = read(false);
    let otherwise: Directive[] = [];
    if (this.peek() === ":") {
      this.next();
      this.expect("(");
      otherwise = read(true);
    }
    this.expect("?");
    if (!anchor) return this.bad("has an optional group without anchor");
    // A unit attribute that anchors a group with other elements is said by the group itself.
    const isUnit = anchor.kind === "slot" && anchor.slot.kind === "attr" && this.def.attrs[anchor.slot.index]!.constraint.syntax === "unit";
    if (isUnit) {
      if (then.length > 1) then = then.filter((d) => d !== anchor);
      otherwise = otherwise.filter((d) => d !== anchor);
    }
    return { kind: "optional", anchor, then, otherwise, inverted: anchorInElse };
  }

  private customDirective(): Directive {
    this.expect("<");
    const name = this.next();
    this.expect(">");
    this.expect("(");
    const args: CustomArg[] = [];
    while (this.peek() !== ")") {
      const token = this.next();
      if (token === ",") continue;
      if (token === "ref") {
        this.expect("(");
        const inner = this.next();
        args.push(
          inner === "type"
            ? { kind: "type", slot: this.parenSlot(), ref: true }
            : { kind: "slot", slot: this.slot(inner.slice(1)), ref: true },
        );
        this.expect(")");
      } else if (token === "type") args.push({ kind: "type", slot: this.parenSlot(), ref: false });
      else if (token === "attr-dict") args.push({ kind: "attr-dict" });
      else if (token[0] === '"' || token[0] === "`") args.push({ kind: "string", text: token.slice(1, -1) });
      else {
        const slot = this.slot(token.slice(1));
        if (slot.kind === "attr") this.bound.add(slot.name);
        args.push({ kind: "slot", slot, ref: false });
      }
    }
    this.next();
    const argNames = args.map((a) => (a.kind === "string" ? a.text : a.kind === "attr-dict" ? "attr-dict" : a.slot.name));
    return { kind: "custom", name, args, argNames, space: this.space() };
  }

  private oilist(): Directive {
    this.expect("(");
    const clauses: { keyword: string; body: Directive[]; space: boolean }[] = [];
    while (this.peek() !== ")") {
      if (this.peek() === "|") {
        this.next();
        continue;
      }
      const keyword = this.next().slice(1, -1);
      this.#emitSpace = true;
      this.#lastWasPunctuation = false;
      const body: Directive[] = [];
      while (this.peek() !== "|" && this.peek() !== ")") body.push(this.directive());
      clauses.push({ keyword, body, space: true });
    }
    this.next();
    return { kind: "oilist", clauses };
  }
}

/** Source: OpFormatGen.cpp, shouldEmitSpaceBefore. */
function literalWantsSpace(text: string, lastWasPunctuation: boolean): boolean {
  if (text.length !== 1 && text !== "->") return true;
  if (lastWasPunctuation) return !">)}],".includes(text[0]!);
  return !"<>(){}[],".includes(text[0]!);
}
