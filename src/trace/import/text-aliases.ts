import { Char, endOfBrackets, hashOf, mixHash, NAME_CHAR, PRIME, SEED } from "./text-scan.js";

/** Aliases (`#blocked`, `#loc3`, `!shared`) by the hash of their definitions. */
export class Aliases {
  readonly #definitions = new Map<string, string>();
  readonly #hashes = new Map<string, number>();
  readonly #texts = new Map<string, number>();
  constructor(text: string) {
    for (let at = 0; at >= 0 && at < text.length; ) {
      const c = text.charCodeAt(at);
      const end = text.indexOf("\n", at);
      const line = end < 0 ? text.length : end;
      if (c === Char.Hash || c === Char.Bang) {
        const equal = text.indexOf(" = ", at);
        if (equal > 0 && equal < line) this.#definitions.set(text.slice(at, equal), bodyOf(text.slice(equal + 3, line)));
      }
      at = line + 1;
    }
  }
  hash(name: string): number {
    let hash = this.#hashes.get(name);
    if (hash !== undefined) return hash;
    const definition = this.#definitions.get(name);
    // A cycle cannot be; damaged text may hold one.
    this.#hashes.set(name, hashOf(name));
    hash = definition === undefined ? hashOf(name) : this.hashOfText(definition);
    this.#hashes.set(name, hash);
    return hash;
  }
  /** The hash of a text in which aliases occur. */
  hashOfText(text: string): number {
    let hash = this.#texts.get(text);
    if (hash === undefined) this.#texts.set(text, (hash = this.compute(text)));
    return hash;
  }
  private compute(text: string): number {
    if (this.#definitions.has(text)) return this.hash(text);
    let h = SEED;
    for (let at = 0; at < text.length; ) {
      const c = text.charCodeAt(at);
      if (c === Char.Hash || c === Char.Bang) {
        let end = at + 1;
        while (end < text.length && NAME_CHAR[text.charCodeAt(end)]! === 1) end++;
        if (text.charCodeAt(end) !== Char.Less) {
          h = mixHash(h, this.hash(text.slice(at, end)));
          at = end;
          continue;
        }
        const close = endOfBrackets(text, end, text.length);
        if (close - at < text.length) {
          h = mixHash(h, this.hashOfText(text.slice(at, close)));
          at = close;
          continue;
        }
      }
      if (c !== Char.Space) h = Math.imul(h ^ c, PRIME);
      at++;
    }
    return h;
  }
}
/** `loc(X)` in a definition means X. */
function bodyOf(definition: string): string {
  return definition.startsWith("loc(") && definition.endsWith(")") ? definition.slice(4, -1) : definition;
}
