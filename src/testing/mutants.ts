/** Damaged copies of a text: what a reader must survive. Deterministic in the seed. */

/** A small generator of numbers below `n` (xorshift32). */
export function randomBelow(seed: number): (n: number) => number {
  let state = seed | 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

export type Mutation = "truncate" | "flip" | "drop-line" | "double-line" | "swap-tokens" | "delete-char";
export const MUTATIONS: readonly Mutation[] = ["truncate", "flip", "drop-line", "double-line", "swap-tokens", "delete-char"];

/** One damaged copy. */
export function mutate(text: string, kind: Mutation, below: (n: number) => number): string {
  const at = below(Math.max(1, text.length));
  const lines = text.split("\n");
  const line = below(lines.length);
  switch (kind) {
    case "truncate":
      return text.slice(0, at);
    case "flip":
      return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << below(8))) + text.slice(at + 1);
    case "drop-line":
      return lines.filter((_, i) => i !== line).join("\n");
    case "double-line":
      return [...lines.slice(0, line + 1), ...lines.slice(line)].join("\n");
    case "swap-tokens": {
      const tokens = text.split(/(\s+)/);
      const a = 2 * below(Math.ceil(tokens.length / 2));
      const b = 2 * below(Math.ceil(tokens.length / 2));
      [tokens[a], tokens[b]] = [tokens[b] ?? "", tokens[a] ?? ""];
      return tokens.join("");
    }
    case "delete-char":
      return text.slice(0, at) + text.slice(at + 1);
  }
}
