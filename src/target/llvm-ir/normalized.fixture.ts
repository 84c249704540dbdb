/**
 * LLVM IR text for comparison: metadata and attribute groups are written out where they are referred to, and what came with a
 * device library (its functions, their declarations, types and strings) is left out. Values keep their numbers.
 */
export function normalized(text: string): string[] {
  const metadata = new Map(matches(text, /^!(\d+) = (.*)$/gm));
  const groups = new Map(matches(text, /^attributes #(\d+) = \{ (.*) \}$/gm));
  const open = new Set<string>();
  const expand = (number: string): string => {
    if (open.has(number)) return "<itself>";
    open.add(number);
    const written = metadata.get(number)!.replace(/!(\d+)/g, (_, n: string) => `(${expand(n)})`);
    open.delete(number);
    return written;
  };
  const lines = withoutLibdevice(text)
    .filter((line) => line.trim() !== "" && !/^(?:!\d+ =|attributes #|;|!llvm\.ident|!opencl\.|%struct\.)/.test(line))
    .map((line) =>
      line
        .replace(/\s*; (?:preds = .*|No predecessors!)$/, "")
        .replace(/!(\d+)/g, (_, n: string) => expand(n))
        .replace(/#(\d+)(?= |$)/g, (whole, n: string) => groups.get(n) ?? whole)
        .replace(
          /(= phi [^[]*)(\[.*\])/,
          (_, head: string, incoming: string) =>
            head +
            incoming
              .match(/\[[^\]]*\]/g)!
              .sort()
              .join(" "),
        ),
    );
  // Declarations that only libdevice's functions need.
  const bodies = lines.filter((line) => !line.startsWith("declare")).join("\n");
  return lines.filter((line) => {
    const name = /^declare .*?@([\w.$]+)\(/.exec(line)?.[1];
    return name === undefined || (!name.startsWith("__") && bodies.includes(`@${name}(`));
  });
}

function matches(text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map((m) => [m[1]!, m[2]!]);
}
function withoutLibdevice(text: string): string[] {
  let inside = false;
  return text.split("\n").filter((line) => {
    if (/^define .*@__/.test(line)) inside = true;
    const keep = !inside && !/^@(?:\.str|__)/.test(line);
    if (line === "}") inside = false;
    return keep;
  });
}
