/** What of brackets, stars and parameters tree-sitter takes and Python perhaps does not: a reason to ask Python's own grammar. */
import type { Token } from "./tokens.js";

/** A bracket that is open, or the parameters of a lambda. */
interface Open {
  readonly kind: "call" | "parameters" | "lambda" | "other";
  /** Of parameters, one letter each: see `areInOrder`. */
  marks: string;
  hasComma: boolean;
  hasFor: boolean;
  /** `**x` has been read. */
  hasUnpacked: boolean;
}

const KEYWORDS = new Set("and assert await del elif else for if in is lambda not or return while yield".split(" "));

export function areSuspicious(tokens: readonly Token[]): boolean {
  const open: Open[] = [];
  const enter = (kind: Open["kind"]) => open.push({ kind, marks: "", hasComma: false, hasFor: false, hasUnpacked: false });
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind === "name" && text === "lambda") {
      enter("lambda");
      continue;
    }
    if (kind === "name" && text !== "for" && open.length === 0) continue;
    const inner = open.at(-1);
    const previous = tokens[i - 1];
    const closes = kind === "op" && (inner?.kind === "lambda" ? text === ":" : ")]}".includes(text));
    const begins = previous?.kind === "op" ? ",([{".includes(previous.text) : previous?.text === "lambda";
    if (inner && begins && !closes) {
      if (inner.kind === "parameters" || inner.kind === "lambda") inner.marks += markOf(text, tokens[i + 1]);
      else if (inner.hasUnpacked && text !== "**") return true;
    }
    if (kind === "name") {
      if (text === "for" && inner) inner.hasFor = true;
      continue;
    }
    if (kind !== "op") continue;
    if ("([{".includes(text))
      enter(text !== "(" || !endsOperand(previous) ? "other" : tokens[i - 2]?.text === "def" ? "parameters" : "call");
    else if (closes && inner) {
      open.pop();
      if (inner.kind === "call" ? inner.hasFor && inner.hasComma : !areInOrder(inner.marks)) return true;
    } else if (text === "," && inner) {
      if (begins) return true;
      inner.hasComma = true;
    } else if (text === "=" && inner?.marks.endsWith("n")) inner.marks = `${inner.marks.slice(0, -1)}d`;
    else if ((text === "*" || text === "**") && !endsOperand(previous) && !(begins && inner?.marks)) {
      if (previous?.text !== "," && !(previous?.text === "(" && inner?.kind === "call")) return true;
      if (text === "**" && inner) inner.hasUnpacked = true;
    }
  }
  return false;
}

/** Whether an operator that follows stands between two operands. */
const endsOperand = (token: Token | undefined): boolean =>
  token !== undefined && (token.kind === "op" ? ")]}".includes(token.text) : token.kind !== "newline" && !KEYWORDS.has(token.text));

/** `/`, a bare `*` (s), `*a` (S), `**a` (K), `a` (n; with a default d), anything else (x). */
function markOf(text: string, next: Token | undefined): string {
  if (text === "*") return next?.kind === "name" ? "S" : "s";
  if (text === "**") return "K";
  return text === "/" ? "/" : text === "(" ? "x" : "n";
}

const areInOrder = (marks: string): boolean => /^(?:[nd]+\/)?[nd]*(?:S[nd]*|s[nd]+)?K?$/.test(marks) && !/^[nd/]*d\/?n/.test(marks);
