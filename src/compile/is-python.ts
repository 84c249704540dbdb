/** Which inputs are Python: the front end is loaded for those alone. */

/** True if a text is Python by its file's name or by its content, and not a dump of a compilation that quotes some. */
export function isPython(text: string, path: string): boolean {
  if (path.endsWith(".py")) return true;
  const comment = /[ \t]*(?:#.*)?\r?\n/y;
  let start = 0;
  while (comment.test(text)) start = comment.lastIndex;
  const head = text.slice(start, start + (1 << 16));
  return (
    /^[ \t]*(?:import |from [\w.]+ import |@(?:triton\.)?jit|def |class )/m.test(head) &&
    !/^\s*(?:tt|llvm)\.func |^module(?: @\S+)?(?: attributes)? ?\{|^\/\/ -----\/\//m.test(head.replace(/("""|''')[\s\S]*?\1/g, ""))
  );
}
