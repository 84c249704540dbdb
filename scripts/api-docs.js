// Writes types/api.md from the declarations in types/: each export of src/index.ts with its docstring and signature. typedoc needs the
// JavaScript API of TypeScript 5, which TypeScript 7 does not have; what tsc emits is regular enough to be cut apart here.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const index = readFileSync("types/index.d.ts", "utf8");
const missing = [];
let text = "# API\n\nMade from the docstrings by `npm run docs:api`. [Library](../docs/library.md) has an overview.\n";
for (const [, names, path] of index.matchAll(/export (?:type )?\{([^}]*)\} from "\.\/([^"]+)\.js"/g)) {
  const declarations = readFileSync(join("types", `${path}.d.ts`), "utf8");
  for (const entry of names.split(",").map((name) => name.trim().replace(/^type /, "")).filter(Boolean)) {
    const [name, exported = name] = entry.split(" as ");
    const found = new RegExp(
      `(?:/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n)?export (?:declare )?((?:abstract )?(?:function|interface|type|class|const) ${name}\\b[\\s\\S]*?)(?=\\n(?:/\\*\\*|export |declare |interface |type |//)|$)`,
    ).exec(declarations);
    if (!found?.[1]) missing.push(`${exported} (${path})`);
    if (!found) continue;
    const doc = (found[1] ?? "").replaceAll(/^\s*\* ?/gm, "").trim();
    text += `\n## ${exported}\n\n${doc}\n\n\`\`\`ts\n${found[2].trim().replace(name, exported)}\n\`\`\`\n`;
  }
}
if (missing.length > 0) {
  console.error(`exports without a docstring:\n  ${missing.join("\n  ")}`);
  process.exit(1);
}
writeFileSync("types/api.md", text);
