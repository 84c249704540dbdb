/** Makes an input smaller as long as it fails in the same way. Source: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002. */
import type { FuzzInput } from "./kinds.js";

/** Runs of `fails` that one reduction may take. */
const MAX_RUNS = 300;

/** Reduces every file and the longest argument, by lines and then by characters. */
export async function reduce(input: FuzzInput, fails: (smaller: FuzzInput) => Promise<boolean>): Promise<FuzzInput> {
  let best = input;
  let runs = 0;
  const attempt = async (smaller: FuzzInput): Promise<boolean> => {
    if (runs++ >= MAX_RUNS || !(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  for (const path of Object.keys(input.files)) {
    const withText = (text: string): FuzzInput => ({ ...best, files: { ...best.files, [path]: text } });
    await shrink(input.files[path]!.split("\n"), (parts) => attempt(withText(parts.join("\n"))));
    const text = best.files[path]!;
    if (text.length < 2000) await shrink([...text], (parts) => attempt(withText(parts.join(""))));
  }
  const longest = best.argv.reduce((a, b) => (b.length > a.length ? b : a), "");
  if (longest.length > 20) {
    const at = best.argv.indexOf(longest);
    await shrink([...longest], (parts) => attempt({ ...best, argv: best.argv.with(at, parts.join("")) }));
  }
  return best;
}

/** Leaves out pieces, halving their size. */
async function shrink(parts: readonly string[], fails: (parts: readonly string[]) => Promise<boolean>): Promise<void> {
  let left = parts;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < left.length; ) {
      const smaller = left.toSpliced(at, size);
      if (smaller.length < left.length && (await fails(smaller))) left = smaller;
      else at += size;
    }
}
