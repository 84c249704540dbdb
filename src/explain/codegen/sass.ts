/** Machine code (SASS) as NVIDIA's disassemblers print it. */
import type { SassLine } from "../../trace/trace.js";

/**
 * The instructions and labels of a disassembly by `nvdisasm -gp -c` or `cuobjdump -sass`. Encodings and the NOPs that fill up the end
 * are left out. Only nvdisasm says which line of the PTX an instruction is from.
 */
export function readSass(text: string): readonly SassLine[] {
  const found: SassLine[] = [];
  let ptx: number | undefined;
  for (const line of text.split("\n")) {
    const place = /^\s*\/\/## File "\.nv_debug_ptx_txt[^"]*", line (\d+)/.exec(line);
    if (place) ptx = Number(place[1]);
    const code = /^\s*(\/\*[0-9a-f]{4,}\*\/)\s+(\S.*?)\s*(?:\/\* 0x[0-9a-f]+ \*\/\s*)?$/.exec(line);
    if (code) found.push({ text: `${code[1]} ${code[2]}`, ...(ptx === undefined ? {} : { ptx }) });
    else if (!place) {
      const label = /^\s*(?:Function : (\S+)|([.\w$]+):)\s*$/.exec(line);
      const name = label?.[1] ?? label?.[2];
      // A section has the name of its function.
      if (name === undefined || name.startsWith(".text.")) continue;
      found.push({ text: `${name}:` });
      if (!name.startsWith(".L")) ptx = undefined;
    }
  }
  const last = found.findLastIndex(({ text }) => !/\bNOP\s*;/.test(text));
  return found.slice(0, last + 1);
}
