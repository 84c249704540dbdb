/** A fault that is planted in the compiler's own source: one place of one function, changed. */
export interface Fault {
  /** Below `src`. */
  readonly file: string;
  /** How its declaration begins, after keywords: a function's, method's or table's name. */
  readonly in: string;
  /** In words; with the file's and the function's name it is the fault's name. */
  readonly fault: string;
  /** Occurs exactly once in the function. */
  readonly find: string;
  readonly replace: string;
  /** A kernel that shows it, which is tried first. */
  readonly kernel?: string;
  /** Why it changes no result for any input, if so: such a fault need not be found. */
  readonly equivalent?: string;
}

/** The faults of one file. */
export function inFile(file: string, faults: readonly Omit<Fault, "file">[]): Fault[] {
  return faults.map((fault) => ({ file, ...fault }));
}

/** `coalesced-layouts.argSort: dimensions by rising contiguity` */
export const nameOf = ({ file, in: where, fault }: Fault): string => `${file.replace(/^.*\/|\.ts$/g, "")}.${where}: ${fault}`;

/** Where in the text of its file the fault is planted, as an offset; or why it cannot be. */
export function placeOf({ in: name, find }: Fault, text: string): number | string {
  const body = extentOf(text, name);
  if (typeof body === "string") return body;
  const inside = text.slice(body.start, body.end);
  const at = inside.indexOf(find);
  if (at < 0) return `'${find}' does not occur in '${name}'`;
  if (inside.indexOf(find, at + 1) >= 0) return `'${find}' occurs more than once in '${name}'`;
  return body.start + at;
}

/** The text of its file with the fault. */
export function plant(fault: Fault, text: string): string {
  const at = placeOf(fault, text);
  if (typeof at === "string") throw new Error(`${nameOf(fault)}: ${at}`);
  return text.slice(0, at) + fault.replace + text.slice(at + fault.find.length);
}

const KEYWORDS = "(?:(?:export|async|function\\*?|const|let|class|private|static|override|readonly|get|set) )*\\*?";

/** From the line of a declaration to the last line that is indented deeper, or closes it. */
function extentOf(text: string, name: string): { readonly start: number; readonly end: number } | string {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = [...text.matchAll(new RegExp(`^([ \\t]*)(${KEYWORDS})${escaped}(?![\\w$]).*$`, "gm"))];
  // A call of a function ends with a semicolon; a declaration of one does not.
  const lines = found.filter(([all, , keywords]) => keywords !== "" || !all.endsWith(";"));
  const indent = Math.min(...lines.map(([, blanks]) => blanks!.length));
  const [line, ...others] = lines.filter(([, blanks]) => blanks!.length === indent);
  if (!line) return `there is no '${name}'`;
  if (others.length > 0) return `'${name}' is declared more than once`;
  let end = line.index + line[0].length;
  for (const next of text.slice(end + 1).split("\n")) {
    const depth = next.search(/\S/);
    if (depth >= 0 && (depth < indent || (depth === indent && !/[)}\]]/.test(next[depth]!)))) break;
    end += 1 + next.length;
  }
  return { start: line.index, end };
}
