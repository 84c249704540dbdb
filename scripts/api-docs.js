// Writes types/api.md from the declarations in types/: each export of src/index.ts with its docstring and signature. typedoc needs the
// JavaScript API of TypeScript 5, which TypeScript 7 does not have; what tsc emits is regular enough to be cut apart here.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const missing = [];
let text = "# API\n\nMade from the docstrings by `npm run docs:api`. [Library](../docs/library.md) has an overview.\n";
for (const [, topic] of declarationsOf("index").matchAll(/export \* from "\.\/library\/([^"]+)\.js"/g)) {
  const face = declarationsOf(`library/${topic}`);
  // tsc leaves out comments of imports.
  const [, about] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(`src/library/${topic}.ts`, "utf8"));
  text += `\n## ${topic}\n\n${plain(about)}\n`;
  for (const [, name] of face.matchAll(/export declare (?:const|function) (\w+)/g)) add(name, name, `library/${topic}`);
  for (const [, names, path] of face.matchAll(/export (?:type )?\{([^}]*)\} from "\.\.\/([^"]+)\.js"/g))
    for (const entry of names
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter(Boolean)) {
      const [name, exported = name] = entry.split(" as ");
      add(name, exported, path);
    }
}

function add(name, exported, path) {
  const found = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n)?export (?:declare )?((?:abstract )?(?:function|interface|type|class|const) ${name}\\b[\\s\\S]*?)(?=\\n(?:/\\*\\*|export |declare |interface |type |//)|$)`,
  ).exec(declarationsOf(path));
  if (!found?.[1]) missing.push(`${exported} (${path})`);
  if (found) text += `\n### ${exported}\n\n${plain(found[1] ?? "")}\n\n\`\`\`ts\n${found[2].trim().replace(name, exported)}\n\`\`\`\n`;
}
function declarationsOf(path) {
  return readFileSync(join("types", `${path}.d.ts`), "utf8");
}
/** A docstring without its stars. */
function plain(doc) {
  return doc.replaceAll(/^\s*\* ?/gm, "").trim();
}
if (missing.length > 0) {
  console.error(`exports without a docstring:\n  ${missing.join("\n  ")}`);
  process.exit(1);
}
writeFileSync("types/api.md", text);
