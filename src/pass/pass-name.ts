/** Finds passes by what people call them: `coalesce` for `tritongpu-coalesce`. */
import { nearestText } from "../support/nearest.js";

/** Resolves a name to a pass among `flags`: the whole flag, else its end, else a part between dashes, where only one has it. */
export function passCalled(name: string, flags: Iterable<string>): string | undefined {
  const [only, other] = passesCalled(name, flags);
  return other === undefined ? only : undefined;
}

/** Why a name is not the name of a pass, in one line. */
export function noPassCalled(name: string, flags: Iterable<string>): string {
  const all = [...new Set(flags)];
  const several = passesCalled(name, all);
  if (several.length > 1) return `'${name}' may be each of ${several.join(", ")}`;
  const ends = all.flatMap((flag) => flag.split("-").map((_, i, parts) => parts.slice(i).join("-")));
  return `there is no pass '${name}' here${nearestText(name, ends)}`;
}

function passesCalled(name: string, flags: Iterable<string>): readonly string[] {
  const all = [...new Set(flags)];
  const tiers = [
    (flag: string) => flag === name,
    (flag: string) => flag.endsWith(`-${name}`),
    (flag: string) => `-${flag}-`.includes(`-${name}-`),
  ];
  for (const isMeant of name === "" ? [] : tiers) {
    const meant = all.filter(isMeant);
    if (meant.length > 0) return meant;
  }
  return [];
}
