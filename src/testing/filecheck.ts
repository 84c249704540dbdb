/**
 * FileCheck for fixtures: the directives that MLIR tests use. Source: llvm/docs/CommandGuide/FileCheck.rst.
 * CHECK, -NEXT, -SAME, -NOT, -DAG, -LABEL, -EMPTY, -COUNT-n; `{{regex}}`, `[[VAR:regex]]`, `[[VAR]]`.
 */

interface Directive {
  readonly kind: "plain" | "next" | "same" | "not" | "dag" | "label" | "empty";
  readonly pattern: string;
  readonly line: number;
}

/** A message that explains the mismatch; undefined when all directives match `output`. */
export function fileCheck(checks: string, output: string, prefixes: readonly string[] = ["CHECK"]): string | undefined {
  const directives = readDirectives(checks, prefixes);
  if (directives.length === 0) return "the check file has no check lines";
  return new Matcher(normalize(output), directives).run();
}

/** FileCheck treats runs of blanks as one. */
function normalize(text: string): string {
  return text.replace(/[ \t]+/g, " ");
}

function readDirectives(checks: string, prefixes: readonly string[]): Directive[] {
  const names = prefixes.map((p) => p.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const regex = new RegExp(`(?:^|[^\\w-])(?:${names})(-NEXT|-SAME|-NOT|-DAG|-LABEL|-EMPTY|-COUNT-(\\d+))?:(.*)$`);
  const directives: Directive[] = [];
  checks.split("\n").forEach((line, i) => {
    const match = regex.exec(line);
    if (!match) return;
    const [, suffix = "", count, pattern = ""] = match;
    const kind = suffix.startsWith("-COUNT") ? "plain" : suffix === "" ? "plain" : (suffix.slice(1).toLowerCase() as Directive["kind"]);
    for (let n = 0; n < Number(count ?? 1); n++) directives.push({ kind, pattern: normalize(pattern.trim()), line: i + 1 });
  });
  return directives;
}

class Matcher {
  #at = 0;
  #variables = new Map<string, string>();
  constructor(
    readonly text: string,
    readonly directives: readonly Directive[],
  ) {}

  run(): string | undefined {
    // Labels cut the text into sections first, so that one wrong section does not disturb the next.
    let nots: Directive[] = [];
    let dagEnd = -1;
    let dagFrom = -1;
    for (const [i, d] of this.directives.entries()) {
      const limit = d.kind === "label" ? this.text.length : this.limit(i);
      if (d.kind === "not") {
        nots.push(d);
        continue;
      }
      if (d.kind === "dag") {
        if (dagFrom < 0) dagFrom = this.#at;
        const found = this.find(d, dagFrom, limit);
        if (typeof found === "string") return found;
        dagEnd = Math.max(dagEnd, found.end);
        this.#at = Math.max(this.#at, found.end);
        continue;
      }
      if (dagFrom >= 0) {
        this.#at = dagEnd;
        dagFrom = dagEnd = -1;
      }
      const before = this.#at;
      const found = this.find(d, this.#at, limit);
      if (typeof found === "string") return found;
      const between = this.text.slice(before, found.start);
      const newlines = between.split("\n").length - 1;
      if (d.kind === "next" && newlines !== 1)
        return this.fail(d, newlines === 0 ? "is on the same line as the match before" : "is not on the next line", found.start);
      if (d.kind === "same" && newlines !== 0) return this.fail(d, "is not on the same line as the match before", found.start);
      for (const not of nots) {
        const excluded = this.find(not, before, found.start);
        if (typeof excluded !== "string") return this.fail(not, "is excluded, but it occurs", excluded.start);
      }
      nots = [];
      this.#at = found.end;
      if (d.kind === "label") this.#variables = new Map([...this.#variables].filter(([name]) => name.startsWith("$")));
    }
    for (const not of nots) {
      const excluded = this.find(not, this.#at, this.text.length);
      if (typeof excluded !== "string") return this.fail(not, "is excluded, but it occurs", excluded.start);
    }
    return undefined;
  }

  /** Where the next label is: checks before it must match before it. */
  private limit(index: number): number {
    const label = this.directives.slice(index + 1).find((d) => d.kind === "label");
    if (!label || label.pattern.includes("[[")) return this.text.length;
    const regex = this.compile(label);
    if (typeof regex === "string") return this.text.length;
    regex.lastIndex = this.#at;
    return regex.exec(this.text)?.index ?? this.text.length;
  }

  private find(d: Directive, from: number, to: number): { readonly start: number; readonly end: number } | string {
    if (d.kind === "empty") {
      const end = this.text.indexOf("\n", from);
      return end >= 0 && /^ ?\n/.test(this.text.slice(end + 1))
        ? { start: end + 1, end: end + 1 }
        : this.fail(d, "expected an empty line", from);
    }
    const regex = this.compile(d);
    if (typeof regex === "string") return regex;
    regex.lastIndex = from;
    const match = regex.exec(this.text);
    if (!match || match.index + match[0].length > to) return this.fail(d, "not found", from);
    for (const [name, value] of Object.entries(match.groups ?? {})) this.#variables.set(decodeName(name), value);
    return { start: match.index, end: match.index + match[0].length };
  }

  private compile(d: Directive): RegExp | string {
    let source = "";
    const defined = new Set<string>();
    for (const token of d.pattern.matchAll(/\{\{((?:[^}]|\}(?!\}))*)\}\}|\[\[([$#]?\w+)(?::((?:[^\]]|\](?!\]))*\]?))?\]\]|[\s\S]/g)) {
      const [text, regex, name, definition] = token;
      if (regex !== undefined) source += `(?:${posix(regex)})`;
      else if (name === undefined) source += text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
      else if (definition !== undefined) {
        source += `(?<${encodeName(name)}>${posix(definition)})`;
        defined.add(name);
      } else if (defined.has(name)) source += `\\k<${encodeName(name)}>`;
      else {
        const value = this.#variables.get(name);
        if (value === undefined) return this.fail(d, `uses undefined variable '${name}'`, this.#at);
        source += value.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
      }
    }
    return new RegExp(source, "gm");
  }

  private fail(d: Directive, why: string, at: number): string {
    const line = this.text.slice(0, at).split("\n").length;
    const near = this.text
      .slice(at, at + 300)
      .split("\n")
      .slice(0, 4)
      .join("\n");
    return `check line ${d.line}: '${d.pattern}' ${why} (from output line ${line})\n${near}`;
  }
}

const encodeName = (name: string) => name.replace("$", "g_").replace("#", "n_") + "_v";
const decodeName = (name: string) => name.slice(0, -2).replace(/^g_/, "$").replace(/^n_/, "#");
/** POSIX classes in JavaScript's spelling; groups must not capture. */
function posix(regex: string): string {
  return regex
    .replace(/\[:alnum:\]/g, "A-Za-z0-9")
    .replace(/\[:digit:\]/g, "0-9")
    .replace(/\[:space:\]/g, "\\s")
    .replace(/\((?!\?)/g, "(?:");
}
