/** Prints records as LLVM's NVPTX printer sets them, or as the text they were parsed from. */
import { assertNever } from "../support/assert.js";
import {
  type Instruction,
  type ModuleItem,
  mnemonicOf,
  type Operand,
  type Parameter,
  type PtxFunction,
  type PtxModule,
  type Setting,
  type Specifier,
  type Statement,
} from "./instruction.js";

export function printModule(module: PtxModule): string {
  const out: string[] = [];
  for (const item of module.items) printItem(item, out);
  out.push(module.tail ?? "\n");
  return out.join("");
}

/** One statement without the text before it. */
export function printStatement(statement: Statement): string {
  const out: string[] = [];
  put({ ...statement, before: "" }, out);
  return out.join("");
}

/** An operand as the printer sets it. */
export function printOperand(operand: Operand): string {
  const tokens: string[] = [];
  operandTokens(operand, tokens);
  return set({}, tokens, "operand");
}

function printItem(item: ModuleItem, out: string[]): void {
  if (item.kind === "section") out.push(set(item, [".section", item.name, item.text], "section"));
  else if (item.kind === "function") {
    out.push(set(item, functionTokens(item), "function"));
    if (item.body === undefined) return;
    for (const statement of item.body) put(statement, out);
    out.push(item.closeGap ?? "\n", "}");
  } else put(item, out);
}

function put(statement: Statement, out: string[]): void {
  out.push(set(statement, tokensOf(statement), statement.kind));
  if (statement.kind !== "scope") return;
  for (const inner of statement.body) put(inner, out);
  out.push(statement.closeGap ?? "\n\t", "}");
}

/** The tokens of a statement's text; of a scope only the opening brace. */
export function tokensOf(statement: Statement): string[] {
  switch (statement.kind) {
    case "instruction":
      return instructionTokens(statement);
    case "label":
      return [statement.name, ":"];
    case "variable": {
      const tokens = specifierTokens(statement.specifiers);
      statement.declarators.forEach((d, i) => {
        if (i > 0) tokens.push(",");
        tokens.push(d.name);
        if (d.count) tokens.push("<", ...tokensOfOperand(d.count), ">");
        for (const dim of d.dims) tokens.push("[", ...(dim ? tokensOfOperand(dim) : []), "]");
        if (d.init) tokens.push("=", ...tokensOfOperand(d.init));
      });
      tokens.push(";");
      return tokens;
    }
    case "directive":
      return [statement.name, ...statement.words, ...(statement.semicolon ? [";"] : [])];
    case "labelledDirective":
      return [statement.label, ":", statement.name, ...statement.words, ";"];
    case "scope":
      return ["{"];
    default:
      return assertNever(statement);
  }
}

function instructionTokens(op: Instruction): string[] {
  const tokens: string[] = [];
  if (op.guard) {
    tokens.push("@");
    if (op.guard.negated) tokens.push("!");
    tokens.push(op.guard.register);
  }
  tokens.push(mnemonicOf(op));
  op.operands.forEach((operand, i) => {
    if (i > 0) tokens.push(",");
    operandTokens(operand, tokens);
  });
  tokens.push(";");
  return tokens;
}

/** The header up to the opening brace, or a declaration up to its semicolon. */
export function functionTokens(fn: PtxFunction): string[] {
  const tokens = specifierTokens(fn.specifiers);
  if (fn.results) tokens.push("(", ...parameterTokens(fn.results), ")");
  tokens.push(fn.name);
  if (fn.params) tokens.push("(", ...parameterTokens(fn.params), ")");
  for (const { name, values } of fn.directives) {
    tokens.push(`.${name}`);
    values.forEach((value, i) => tokens.push(...(i > 0 ? [","] : []), ...tokensOfOperand(value)));
  }
  tokens.push(fn.body === undefined ? ";" : "{");
  return tokens;
}

function parameterTokens(params: readonly Parameter[]): string[] {
  return params.flatMap((p, i) => [
    ...(i > 0 ? [","] : []),
    ...specifierTokens(p.specifiers),
    p.name,
    ...p.dims.flatMap((dim) => ["[", ...(dim ? tokensOfOperand(dim) : []), "]"]),
  ]);
}

function specifierTokens(specifiers: readonly Specifier[]): string[] {
  return specifiers.flatMap((s) => [`.${s.name}`, ...(s.value ? tokensOfOperand(s.value) : [])]);
}

function tokensOfOperand(operand: Operand): string[] {
  const tokens: string[] = [];
  operandTokens(operand, tokens);
  return tokens;
}

function operandTokens(operand: Operand, out: string[]): void {
  switch (operand.kind) {
    case "name":
      out.push(operand.name);
      return;
    case "integer":
    case "float":
    case "string":
      out.push(operand.text);
      return;
    case "vector":
    case "list":
      out.push(operand.kind === "vector" ? "{" : "(");
      operand.elements.forEach((element, i) => {
        if (i > 0) out.push(",");
        operandTokens(element, out);
      });
      out.push(operand.kind === "vector" ? "}" : ")");
      return;
    case "address":
      out.push("[");
      operandTokens(operand.base, out);
      for (const more of operand.rest) {
        out.push(",");
        operandTokens(more, out);
      }
      out.push("]");
      return;
    case "sum":
      operandTokens(operand.base, out);
      out.push(operand.minus ? "-" : "+");
      operandTokens(operand.offset, out);
      return;
    case "pair":
      operandTokens(operand.first, out);
      out.push("|");
      operandTokens(operand.second, out);
      return;
    case "not":
      out.push("!");
      operandTokens(operand.operand, out);
      return;
    default:
      assertNever(operand);
  }
}

type Style = Statement["kind"] | "function" | "section" | "operand";

function set(setting: Setting, tokens: readonly string[], style: Style): string {
  const own = ownGaps(tokens, style);
  const gaps = setting.gaps ?? own;
  let text = (setting.before ?? own[0]!) + tokens[0]!;
  for (let i = 1; i < tokens.length; i++) text += (gaps[i] ?? "") + tokens[i]!;
  return text;
}

/** The white space before each token where the record says nothing. */
export function ownGaps(tokens: readonly string[], style: Style): string[] {
  const gaps: string[] = new Array(tokens.length);
  let mnemonicAt = style === "instruction" ? 0 : -1;
  if (tokens[0] === "@" && mnemonicAt === 0) mnemonicAt = tokens[1] === "!" ? 3 : 2;
  let inParams = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    const before = tokens[i - 1];
    if (style === "function") {
      if (token === "(") inParams = true;
      if (token === ")") inParams = false;
    }
    if (i === 0) gaps[i] = style === "operand" ? "" : style === "label" || style === "function" || style === "section" ? "\n" : "\n\t";
    else if (mnemonicAt >= 0 && i <= mnemonicAt) gaps[i] = i === mnemonicAt ? " " : "";
    else if (mnemonicAt >= 0 && i === mnemonicAt + 1) gaps[i] = token === ";" ? "" : token === "(" ? " " : " \t";
    else if (style === "function" && (token === "{" || (token.startsWith(".") && !inParams)))
      gaps[i] = token === "{" || before === ")" ? "\n" : " ";
    else if (style === "function" && inParams && token.startsWith(".")) gaps[i] = before === "(" || before === "," ? "\n\t" : " ";
    else if (style === "function" && token === ")") gaps[i] = "\n";
    else if (style === "variable" && before?.startsWith(".") && !token.startsWith(".") && !(before === ".align")) gaps[i] = " \t";
    else if (style === "section") gaps[i] = " ";
    else if (style === "directive" || style === "labelledDirective")
      gaps[i] =
        token === "," || token === ";" || token === ":"
          ? ""
          : i === 1 && token.startsWith('"')
            ? " "
            : i === 1
              ? before === ".loc" || before === ".file"
                ? "\t"
                : " "
              : " ";
    else gaps[i] = tight(before!, token) ? "" : " ";
  }
  if (style === "directive" && TOP.has(tokens[0]!)) gaps[0] = "\n";
  return gaps;
}

const TOP = new Set([".version", ".target", ".address_size"]);
const OPENERS = new Set(["(", "[", "{", "<", "!", "|", "+", "-", "@"]);
const CLOSERS = new Set([")", "]", "}", ">", ",", ";", ":", "|", "+", "-", "<"]);

function tight(before: string, token: string): boolean {
  return OPENERS.has(before) || CLOSERS.has(token) || ((token === "(" || token === "[") && before !== "," && before !== "=");
}
