/** Runs a compiled assembly format on the parser, then finds the types that the format does not spell. */
import type { ParsedOperand } from "../ir/asm.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { inferResultTypes } from "../ir/builder.js";
import { DenseArrayAttr, dictAttr, IntegerAttr, i32ArrayAttr, stringAttr, typeAttr, unitAttr, wrapInt } from "../ir/builtin-attrs.js";
import type { NamedValueSpec, OpDef } from "../ir/define-op.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import { FormatParts } from "./format-parts.js";
import { type Directive, directiveOf, type FormatProgram, type PartRule, programOf, type Slot, strippedKind } from "./format-program.js";
import type { Parser } from "./parser.js";

export function parseWithFormat(p: Parser, def: OpDef, at: number): void {
  let run = p.spareParts.pop();
  if (run) run.reset(def);
  else run = new FormatParts(p, def);
  const program = programOf(def);
  const { steps } = program;
  const { cursor } = p;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    const { part, printed } = step;
    switch (step.kind) {
      case "literal":
        if (printed !== undefined && cursor.text.startsWith(printed, cursor.pos)) cursor.pos += printed.length;
        else {
          if (step.dictionary) parseDirective(p, run, step.dictionary);
          parseDirective(p, run, step.directive);
        }
        break;
      case "operand":
        run.values[part] = p.operandValue();
        run.positions[part] = p.values.operandPos;
        break;
      case "type":
        run.typeOfPart[part] = step.restricted ? singleType(p, def, step.directive as TypeDirective) : p.type();
        break;
      case "attr":
        p.setAttr(def.attrs[part]!.name, parseAttrSlot(p, def, part));
        break;
      case "custom":
        step.custom!.parse(p, run, (step.directive as CustomArgs).argNames);
        break;
      case "other":
        parseDirective(p, run, step.directive);
    }
  }
  finishFormat(p, run, program, at);
  p.spareParts.push(run);
}

function parseDirective(p: Parser, run: FormatParts, d: Directive): void {
  switch (d.kind) {
    case "literal":
      if (d.isKeyword) p.cursor.keyword(d.text);
      else p.cursor.punct(d.text);
      return;
    case "whitespace":
      return;
    case "slot":
      parseSlot(p, run, d.slot);
      return;
    case "type":
      setSlotTypes(run, d.slot, arityOf(run.def, d.slot) === "single" ? [singleType(p, run.def, d)] : optTypes(p));
      return;
    case "functional-type": {
      const { inputs, results } = p.functionType();
      setSlotTypes(run, d.inputs, inputs);
      setSlotTypes(run, d.results, results);
      return;
    }
    case "attr-dict": {
      const at = p.pos;
      const before = p.state.attrs.length;
      if (d.keyword) p.optAttrDictWithKeyword();
      else p.optAttrDict();
      if (p.state.attrs.length > before) checkInherent(p, run.def, before, at);
      return;
    }
    case "custom":
      directiveOf(run.def, d).parse(p, run, d.argNames);
      return;
    case "optional":
      parseOptional(p, run, d);
      return;
    case "oilist":
      for (let found = true; found; ) {
        found = false;
        for (const clause of d.clauses)
          if (p.optKeyword(clause.keyword)) {
            found = true;
            const unit = clause.body.length === 1 ? unitOf(run.def, clause.body[0]!) : undefined;
            if (unit) p.setAttr(unit, unitAttr(p.ctx));
            else for (const inner of clause.body) parseDirective(p, run, inner);
          }
      }
      return;
  }
}

/** Inherent attributes in a dictionary are checked as they are read. */
function checkInherent(p: Parser, def: OpDef, from: number, at: number): void {
  for (let i = from; i < p.state.attrs.length; i++) {
    const [name, value] = p.state.attrs[i]!;
    const spec = def.inherent.has(name) ? def.attrs.find((a) => a.name === name) : undefined;
    if (!spec || spec.constraint.test(value)) continue;
    const message = `'${def.name}' op attribute '${name}' failed to satisfy constraint: ${spec.constraint.description}`;
    opError(p, def, message, at, "verify.attribute");
  }
}

function arityOf(def: OpDef, slot: Slot): "single" | "optional" | "variadic" {
  if (slot.kind === "operand") return def.operands[slot.index]!.arity;
  if (slot.kind === "result") return def.results[slot.index]!.arity;
  return "variadic";
}
type CustomArgs = Extract<Directive, { kind: "custom" }>;
type TypeDirective = Extract<Directive, { kind: "type" }>;
function singleType(p: Parser, def: OpDef, d: TypeDirective): Type {
  const stripped = d.qualified ? undefined : strippedKind(def, d.slot);
  const at = p.cursor.here();
  if (stripped !== undefined && !p.atPunct("!")) return p.dialectType(stripped, at);
  const type = p.type();
  const specs = d.slot.kind === "operand" ? def.operands : def.results;
  const constraint = specs[d.slot.index]?.constraint;
  const wanted = stripped ?? constraint?.kind?.name;
  if (wanted !== undefined && (stripped ? type.def.name !== stripped : !constraint!.kind!.is(type)))
    opError(p, def, `invalid kind of type specified: expected ${wanted}, but found '${p.typeText(type)}'`, at, "parse.type");
  return type;
}
/** An error that the op's own syntax gives, as opposed to one of the language. */
function opError(p: Parser, def: OpDef, message: string, at: number, code: string): never {
  return p.fail(`custom op '${def.name}' ${message}`, at, code);
}
function optTypes(p: Parser): Type[] {
  const first = p.optType();
  if (!first) return [];
  const types = [first];
  while (p.optPunct(",")) types.push(p.type());
  return types;
}
function setSlotTypes(run: FormatParts, slot: Slot, types: readonly Type[]): void {
  if (slot.kind === "operand") run.setTypesOf(slot.index, types);
  else if (slot.kind === "result") run.setTypesOf(run.def.operands.length + slot.index, types);
  else if (slot.kind === "operands") run.allOperandTypes = types;
  else run.allResultTypes = types;
}

function parseSlot(p: Parser, run: FormatParts, slot: Slot): void {
  switch (slot.kind) {
    case "operand": {
      const { arity } = run.def.operands[slot.index]!;
      if (arity === "single") run.setOperandsOf(slot.index, [p.operand()]);
      else if (arity === "variadic") run.setOperandsOf(slot.index, p.operands());
      else {
        const operand = p.optOperand();
        run.setOperandsOf(slot.index, operand ? [operand] : []);
      }
      return;
    }
    case "operands":
      run.allOperands = p.operands();
      return;
    case "attr":
      p.setAttr(slot.name, parseAttrSlot(p, run.def, slot.index));
      return;
    case "region": {
      const { variadic } = run.def.regions[slot.index]!;
      if (!variadic) p.region();
      else if (p.atPunct("{"))
        do p.region();
        while (p.optPunct(","));
      return;
    }
    case "regions":
      if (p.atPunct("{"))
        do p.region();
        while (p.optPunct(","));
      return;
    case "successor":
    case "successors": {
      const variadic = slot.kind === "successors" || run.def.successors[slot.index]!.variadic;
      if (!variadic) p.state.successors.push(p.successor());
      else if (p.atPunct("^"))
        do p.state.successors.push(p.successor());
        while (p.optPunct(","));
      return;
    }
    case "result":
    case "results":
      throw new Bug(`${run.def.name}: a result cannot be read`);
  }
}

/** The attribute of a format's `$name`, as its constraint spells it. */
function parseAttrSlot(p: Parser, def: OpDef, index: number): Attribute {
  const { name, constraint } = def.attrs[index]!;
  if (constraint.syntax === "typedArray") return parseTypedArray(p, def, constraint.type!(p.ctx));
  const at = p.cursor.here();
  if (constraint.spelling) return constraint.spelling.parse(p) ?? p.fail(`expected attribute '${name}'`, at, "parse.attribute");
  if (constraint.enum) {
    const cases = Object.keys(constraint.enum.cases);
    const word = p.cursor.peekIdent();
    const keyword = p.optString() ?? (word !== undefined && Object.hasOwn(constraint.enum.cases, word) ? p.anyKeyword() : undefined);
    if (keyword === undefined)
      return opError(
        p,
        def,
        `expected string or keyword containing one of the following enum values for attribute '${name}' [${cases.join(", ")}]`,
        at,
        "parse.enum",
      );
    const value = constraint.enum.cases[keyword];
    if (value === undefined) return opError(p, def, `invalid ${name} attribute specification: "${keyword}"`, at, "parse.enum");
    return constraint.write!(p.ctx, keyword);
  }
  if (constraint.stripped && !p.atPunct("#")) {
    p.complaint = `custom op '${def.name}' `;
    const attr = p.dialectAttr(constraint.stripped, at);
    p.complaint = "";
    return attr;
  }
  switch (constraint.syntax) {
    case "symbolName":
      return stringAttr(p.ctx, p.symbolName());
    case "unit":
      return unitAttr(p.ctx);
    case "type":
      return typeAttr(p.type());
    default:
      break;
  }
  const attr = p.attribute(constraint.type?.(p.ctx));
  // For a number, only the type is checked here; the verifier checks its value.
  const isNumber = constraint.type !== undefined && IntegerAttr.is(attr);
  if (!isNumber && !constraint.test(attr)) opError(p, def, "invalid kind of attribute specified", at, "parse.attribute-kind");
  return attr;
}

function parseTypedArray(p: Parser, def: OpDef, elementType: Type): Attribute {
  if (!p.cursor.atChar(91)) return p.attribute();
  return p.arrayByText(elementType, () =>
    DenseArrayAttr.get(p.ctx, { elementType, elements: p.list("[", "]", () => typedElement(p, def, elementType)) }),
  );
}
/** An integer in the list of an op's own syntax; `true` is -1. Upstream looks for the end of the list after a bad one, and reports that too. */
function typedElement(p: Parser, def: OpDef, elementType: Type): bigint {
  if (p.optKeyword("true")) return -1n;
  if (p.optKeyword("false")) return 0n;
  const at = p.pos;
  const text = (p.optPunct("-") ? "-" : "") + (p.cursor.optNumber() ?? "");
  const isInteger = /^-?(?:0x)?[\da-fA-F]+$/.test(text);
  const value = isInteger && text.length < 4096 ? (text[0] === "-" ? -BigInt(text.slice(1)) : BigInt(text)) : undefined;
  if (value !== undefined && value === wrapInt(value, elementType)) return value;
  if (!isInteger) p.cursor.pos = at;
  const message = isInteger ? "integer value too large" : "expected integer value";
  if (p.atPunct("]")) return opError(p, def, message, at, "parse.expected");
  const whole = `custom op '${def.name}' ${message}`;
  p.ctx.emit({ severity: "error", code: "parse.expected", message: whole, position: p.source.position(at), notes: [] });
  return p.cursor.wrongToken("expected ']'");
}
/** Reads the `then` part when its first element is there, else the other part. */
function parseOptional(p: Parser, run: FormatParts, d: Extract<Directive, { kind: "optional" }>): void {
  const first = d.then.find((x) => x.kind !== "whitespace");
  const anchorUnit = unitOf(run.def, d.anchor);
  if (first && startsHere(p, run, first)) {
    if (anchorUnit && !d.inverted) p.setAttr(anchorUnit, unitAttr(p.ctx));
    for (const inner of d.then) {
      if (inner !== first || !alreadyRead(first)) parseDirective(p, run, inner);
    }
    return;
  }
  if (anchorUnit && d.inverted) p.setAttr(anchorUnit, unitAttr(p.ctx));
  for (const inner of d.otherwise) parseDirective(p, run, inner);
}

/** A unit attribute's name, when the directive is one. */
function unitOf(def: OpDef, d: Directive): string | undefined {
  if (d.kind !== "slot" || d.slot.kind !== "attr") return undefined;
  const { name, constraint } = def.attrs[d.slot.index]!;
  return constraint.syntax === "unit" ? name : undefined;
}
function alreadyRead(d: Directive): boolean {
  return d.kind === "literal" || (d.kind === "slot" && d.slot.kind === "attr") || d.kind === "custom";
}

/** Whether the group's first element starts here. Literals, attributes and custom directives are consumed by the look. */
function startsHere(p: Parser, run: FormatParts, first: Directive): boolean {
  switch (first.kind) {
    case "literal":
      return first.isKeyword ? p.cursor.optKeyword(first.text) : p.cursor.optPunct(first.text);
    case "slot":
      switch (first.slot.kind) {
        case "operand":
        case "operands":
          return p.atPunct("%");
        case "region":
        case "regions":
          return p.atPunct("{");
        case "successor":
        case "successors":
          return p.atPunct("^");
        case "attr":
          return optAttrSlot(p, run.def, first.slot.index, first.qualified);
        default:
          return false;
      }
    case "type":
    case "functional-type": {
      const save = p.cursor.pos;
      const type = p.atPunct("(") && first.kind === "functional-type" ? true : p.optType() !== undefined;
      p.cursor.pos = save;
      return type;
    }
    case "custom": {
      // An optional group that begins with a custom directive: it is there if the directive reads anything.
      const before = p.cursor.here();
      parseDirective(p, run, first);
      return p.cursor.pos !== before;
    }
    default:
      return false;
  }
}

function optAttrSlot(p: Parser, def: OpDef, index: number, qualified: boolean): boolean {
  const { name, constraint } = def.attrs[index]!;
  if (qualified && constraint.stripped && !p.atPunct("#")) return false;
  if (constraint.spelling) {
    const spelt = constraint.spelling.parse(p);
    if (spelt) p.setAttr(name, spelt);
    return spelt !== undefined;
  }
  if (constraint.enum) {
    const word = p.cursor.peekIdent();
    if (word === undefined || !(word in constraint.enum.cases)) return false;
  } else if (constraint.syntax === "symbolName" ? !p.atPunct("@") : constraint.syntax === "typedArray" && !p.atPunct("[")) return false;
  else if (constraint.syntax === undefined && !constraint.stripped) {
    const attr = p.optAttribute(constraint.type?.(p.ctx));
    if (attr) p.setAttr(name, attr);
    return attr !== undefined;
  }
  p.setAttr(name, parseAttrSlot(p, def, index));
  return true;
}

// --- types ------------------------------------------------------------------------------------

function finishFormat(p: Parser, run: FormatParts, program: FormatProgram, at: number): void {
  const { def } = run;
  const { state } = p;
  const single = run.allOperands && !run.allOperandTypes && def.operands.every((o) => o.arity === "single");
  if (single) distributeOperands(p, run, run.allOperands!, at);
  if (run.allOperands && !single) {
    const types = run.allOperandTypes ?? run.allOperands.map((o) => o.value.type);
    state.operands.push(...p.resolveAll(run.allOperands, types));
  } else {
    // `functional-type(operands, ...)` and `type(operands)` hand out types over all groups in order.
    if (run.allOperandTypes) distribute(p, run, run.allOperandTypes, at);
    if (program.rules.length > 0) inferGroupTypes(p, run, program.rules, at);
    const count = def.operands.length;
    if (!program.plainOperands || !resolveSingles(p, run, count)) for (let g = 0; g < count; g++) resolveGroup(p, run, g, at);
    if (def.sizedOperands) {
      const sizes = def.operands.map((_, g) => run.numOperandsOf(g));
      p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, sizes));
    }
  }
  resultTypes(p, run, at);
}

/** Operands read as one list, each to the part that it is. */
function distributeOperands(p: Parser, run: FormatParts, operands: readonly ParsedOperand[], at: number): void {
  const { length } = run.def.operands;
  if (operands.length !== length)
    opError(
      p,
      run.def,
      `number of operands and types do not match: got ${operands.length} operands and ${length} types`,
      at,
      "parse.operand-count",
    );
  for (let i = 0; i < length; i++) run.setOperandsOf(i, [operands[i]!]);
}

function distribute(p: Parser, run: FormatParts, types: readonly Type[], at: number): void {
  const { def } = run;
  let next = 0;
  for (let g = 0; g < def.operands.length; g++) {
    const size = run.numOperandsOf(g);
    run.setTypesOf(g, types.slice(next, next + size));
    next += size;
  }
  if (next !== types.length)
    opError(p, def, `number of operands and types do not match: got ${next} operands and ${types.length} types`, at, "parse.operand-count");
}

/** Types that follow from others by the op's traits, or that only one type fits. Runs until nothing new is found. */
function inferGroupTypes(p: Parser, run: FormatParts, rules: readonly PartRule[], at: number): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (let r = 0; r < rules.length; r++) {
      const rule = rules[r]!;
      if (rule.kind === "same") {
        const { parts } = rule;
        let known: Type | undefined;
        for (let i = 0; known === undefined && i < parts.length; i++) known = knownType(run, parts[i]!);
        if (known) for (let i = 0; i < parts.length; i++) changed = setKnown(run, parts[i]!, known) || changed;
      } else if (knownType(run, rule.to) === undefined) {
        const source = knownType(run, rule.from);
        if (!source) continue;
        checkSource(p, run.def, rule.from, rule.fromName, source, at);
        const target = rule.transform(source, (name) => p.state.attrs.find((e) => e[0] === name)?.[1]);
        if (target) changed = setKnown(run, rule.to, target) || changed;
      }
    }
    if (rules.length === 1) return;
  }
}
function partSpec(def: OpDef, part: number): NamedValueSpec | undefined {
  return part < def.operands.length ? def.operands[part] : def.results[part - def.operands.length];
}
/** A type from which others are derived must be of its own kind first. */
function checkSource(p: Parser, def: OpDef, part: number, name: string, type: Type, at: number): void {
  const spec = partSpec(def, part);
  if (!spec || spec.constraint.test(type)) return;
  opError(p, def, `'${name}' must be ${spec.constraint.description}, but got '${p.typeText(type)}'`, at, "verify.operand-type");
}
function knownType(run: FormatParts, part: number): Type | undefined {
  const known = run.typeOf(part);
  if (known || run.typeLists?.[part] || part >= run.def.operands.length) return known;
  const { arity, constraint } = run.def.operands[part]!;
  return arity === "single" ? constraint.build?.(run.parser.ctx) : undefined;
}
function setKnown(run: FormatParts, part: number, type: Type): boolean {
  if (run.typeOfPart[part] !== undefined || run.typeLists?.[part] !== undefined) return false;
  const { operands, results } = run.def;
  if (part >= operands.length && results[part - operands.length]?.arity !== "single") return false;
  const count = part < operands.length ? run.numOperandsOf(part) : 1;
  if (count > 1) run.setTypesOf(part, new Array<Type>(count).fill(type));
  else run.typeOfPart[part] = type;
  return true;
}

/** The common case of the below: one operand with one known type in every group. Returns whether it is that case. */
function resolveSingles(p: Parser, run: FormatParts, count: number): boolean {
  const { values, typeOfPart } = run;
  if (count === 0) return true;
  for (let g = 0; g < count; g++) if (!values[g] || !typeOfPart[g]) return false;
  if (p.state.operands.length > 0) return false;
  const first = resolveSingle(p, run, 0);
  if (count === 1) p.state.operands = [first];
  else {
    p.state.operands = [first, resolveSingle(p, run, 1)];
    for (let g = 2; g < count; g++) p.state.operands.push(resolveSingle(p, run, g));
  }
  return true;
}
function resolveSingle(p: Parser, run: FormatParts, g: number): Value {
  return p.values.resolve(run.values[g]!, run.typeOfPart[g]!, run.positions[g]!);
}

function resolveGroup(p: Parser, run: FormatParts, g: number, at: number): void {
  const spec = run.def.operands[g]!;
  const group = run.operandsOf(g);
  if (!group || group.length === 0) return;
  let types = run.typesOf(g);
  if (types === undefined) {
    const only = spec.constraint.build?.(p.ctx);
    // Without any rule it is the operand's own type: the operand was defined before.
    types = group.map((operand) => only ?? operand.value.type);
  } else if (types.length === 1 && group.length > 1 && run.def.typeRules.length > 0) types = group.map(() => types![0]!);
  if (types.length !== group.length)
    opError(
      p,
      run.def,
      `number of operands and types do not match: got ${group.length} operands and ${types.length} types`,
      at,
      "parse.operand-count",
    );
  for (let i = 0; i < group.length; i++) p.state.operands.push(p.values.resolve(group[i]!.value, types[i]!, group[i]!.pos));
}

function resultTypes(p: Parser, run: FormatParts, at: number): void {
  const { def } = run;
  const { state } = p;
  if (run.allResultTypes) {
    state.types.push(...run.allResultTypes);
    if (def.sizedResults) p.setAttr("resultSegmentSizes", sizedResults(p, def, run.allResultTypes.length));
    return;
  }
  let missing = false;
  const numOperands = def.operands.length;
  for (let r = 0; r < def.results.length; r++) {
    const spec = def.results[r]!;
    const isSingle = spec.arity === "single";
    let type = run.typeOfPart[numOperands + r];
    if (!type && isSingle) type = run.typeOfPart[numOperands + r] = spec.constraint.build?.(p.ctx);
    const types = type ? undefined : run.typeLists?.[numOperands + r];
    if (type && state.types.length === 0) state.types = [type];
    else if (type) state.types.push(type);
    else if (types) state.types.push(...types);
    else if (isSingle || (spec.arity === "variadic" && def.inferTypes)) missing = true;
  }
  if (!missing) {
    if (def.sizedResults) {
      const sizes = def.results.map((_, r) => run.typesOf(numOperands + r)?.length ?? 0);
      p.setAttr("resultSegmentSizes", i32ArrayAttr(p.ctx, sizes));
    }
    return;
  }
  state.types.length = 0;
  for (const spec of def.attrs)
    if (spec.default && !state.attrs.some((e) => e[0] === spec.name)) state.attrs.push([spec.name, spec.default(p.ctx)]);
  const dict = dictAttr(p.ctx, state.attrs);
  const loc = p.source.base + at;
  const inferred = inferResultTypes(p.ctx, def, state.operands, dict, state.regions, loc, (message) =>
    p.fail(message, at, "parse.infer-types"),
  );
  if (!inferred) return p.fail(`'${def.name}' op failed to infer returned types`, at, "parse.infer-types");
  state.types.push(...inferred);
}
function sizedResults(p: Parser, def: OpDef, count: number): Attribute {
  const singles = def.results.filter((r) => r.arity === "single").length;
  return i32ArrayAttr(
    p.ctx,
    def.results.map((r) => (r.arity === "single" ? 1 : count - singles)),
  );
}
