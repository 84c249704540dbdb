/** The packages that the user's Python would import, found without starting it. Source: CPython's site.py says where packages are. */
import type { PythonHost } from "../frontend/compile-python.js";
import type { Io } from "./io.js";

export interface FoundTriton {
  /** The package's own folder. */
  readonly folder: string;
  /** `3.6.0`; empty when it does not say. */
  readonly version: string;
}

/** The Triton that `python3` would import, or undefined: library functions (`tl.sum`, ...) are then read from there. */
export function findTriton(io: Io): FoundTriton | undefined {
  if (!io.programs) return undefined;
  for (const packages of [...pythonPath(io), ...sitePackages(io)]) {
    const folder = `${packages}/triton`;
    if (!io.programs.listFolder(folder).includes("language")) continue;
    return { folder, version: /^__version__ = ['"]([^'"]*)/m.exec(readText(io, `${folder}/__init__.py`))?.[1] ?? "" };
  }
  return undefined;
}

/** The front end's queries about files and about the Python that would run them. */
export function pythonHost(io: Io): Pick<PythonHost, "readFile" | "isFolder" | "cwd" | "searchPath" | "env"> {
  return {
    readFile(path) {
      try {
        return io.readFile(path);
      } catch {
        return undefined; // Not there, or not ours to read.
      }
    },
    isFolder: (path) => (io.programs?.listFolder(path).length ?? 0) > 0,
    cwd: io.cwd,
    searchPath: () => ({ before: pythonPath(io), after: sitePackages(io) }),
    env: io.env,
  };
}

const pythonPath = ({ env }: Io): readonly string[] => (env["PYTHONPATH"] ?? "").split(":").filter(Boolean);

/** Folders of packages: each with those that its `.pth` files add, then what editable installations map. */
function sitePackages(io: Io): readonly string[] {
  const finders: string[] = [];
  const folders = siteFolders(io).flatMap((site) => {
    const files = io.programs!.listFolder(site).filter((name) => name.endsWith(".pth"));
    // Source: site.py, addpackage: a line is a folder, or a statement to run.
    const lines = files.sort().flatMap((name) => readText(io, `${site}/${name}`).split(/\r?\n/));
    for (const line of lines) {
      const finder = /^import[ \t]+(__editable__\w+)/.exec(line)?.[1];
      if (finder !== undefined) finders.push(`${site}/${finder}.py`);
    }
    const added = lines.filter((line) => !/^\s*(?:#|import[ \t]|$)/.test(line)).map((line) => line.trimEnd());
    return [site, ...added.map((line) => (line.startsWith("/") ? line : `${site}/${line}`))];
  });
  // Source: setuptools' editable_wheel.py: `MAPPING = {'triton': '/src/triton/python/triton'}`
  const mapped = finders.flatMap((finder) => {
    const mapping = /^MAPPING\b.*$/m.exec(readText(io, finder))?.[0] ?? "";
    return [...mapping.matchAll(/(['"])([^'"]*)\1: *(['"])(.*?)\/\2\3/g)].map((match) => match[4]!);
  });
  return [...folders, ...mapped];
}

function siteFolders(io: Io): readonly string[] {
  return prefixes(io).flatMap((prefix) => {
    const versions = io.programs!.listFolder(`${prefix}/lib`).filter((name) => /^python3\.\d+$/.test(name));
    // The newest version comes first.
    versions.sort((a, b) => Number(b.slice(8)) - Number(a.slice(8)));
    return [
      ...versions.flatMap((version) => [`${prefix}/lib/${version}/site-packages`, `${prefix}/local/lib/${version}/dist-packages`]),
      `${prefix}/lib/python3/dist-packages`,
    ];
  });
}

/** Where Python is installed: the environment that is active, else the first `python3` on the path. */
function prefixes(io: Io): readonly string[] {
  const { env, programs } = io;
  if (!programs) return [];
  const active = env["VIRTUAL_ENV"] ?? env["CONDA_PREFIX"];
  if (active) return [active];
  const bin = (env["PATH"] ?? "").split(":").find((folder) => folder !== "" && programs.isProgram(`${folder}/python3`));
  if (bin === undefined) return [];
  const prefix = bin.replace(/\/[^/]*\/?$/, "");
  // pyenv's is a script that looks up the version in use.
  const pyenv = env["PYENV_VERSION"] ?? readText(io, `${prefix}/version`).trim();
  return bin.endsWith("/shims") && /^[\w.+-]+$/.test(pyenv) ? [`${prefix}/versions/${pyenv}`] : [prefix];
}

function readText({ readFile }: Io, path: string): string {
  try {
    return readFile(path);
  } catch {
    return ""; // Not there, or not ours to read.
  }
}
