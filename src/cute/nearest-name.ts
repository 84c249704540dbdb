/** Suggestions for misspelt names. */
import { editDistance } from "../support/nearest.js";

/** The names nearest to `name` by edit distance, best first; those too far away are left out. */
export function nearest(name: string, candidates: Iterable<string>, count = 3): readonly string[] {
  const limit = Math.max(2, Math.ceil(name.length / 3));
  const scored: { name: string; distance: number }[] = [];
  for (const c of new Set(candidates)) {
    const distance = editDistance(name.toLowerCase(), c.toLowerCase(), limit + 1);
    if (distance <= limit) scored.push({ name: c, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((s) => s.name);
}

/** `unknown thing 'x'; did you mean a, b?` */
export function unknown(what: string, name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return `unknown ${what} '${name}'${near.length > 0 ? `; did you mean ${near.join(", ")}?` : ""}`;
}
