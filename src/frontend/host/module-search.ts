/**
 * Where the file of a Python module is, as Python finds it: in the folder of the package that the kernel's file is part of, in that of
 * its project (with `src/`), in `PYTHONPATH`, beside the file, and in site-packages. Source: importlib's PathFinder; PEP 420.
 */
import { LIMITS } from "../../support/limits.js";

/** The files among which `import` looks for a module. */
export interface SearchFiles {
  /** A file's text as latin1, undefined when it is not there. */
  readonly readFile: (path: string) => string | undefined;
  /** Whether a path is a folder; without it packages have an `__init__.py`. */
  readonly isFolder?: ((path: string) => boolean) | undefined;
  /** The absolute folder that paths are relative to. */
  readonly cwd?: string | undefined;
  /** The parts of Python's search path before a script's folder (`PYTHONPATH`) and after it (site-packages). Asked once. */
  readonly searchPath?: (() => { readonly before: readonly string[]; readonly after: readonly string[] }) | undefined;
}

/** A file that is a module, or a folder that is a namespace package: a package of files without a file of its own. */
export interface FoundModule {
  /** As files are named to the user; undefined for a namespace package. */
  readonly path: string | undefined;
  readonly text: string;
  readonly isPackage: boolean;
}

export interface ModuleSearch {
  /** The dotted name of the kernel's own file. */
  readonly name: string;
  readonly isPackage: boolean;
  /** The file of a module; undefined where no folder has one. */
  find(name: string): FoundModule | undefined;
  /** Where `find` looks, as folders are named to the user. */
  readonly folders: readonly string[];
}

/** Modules of Python itself are not looked for, and those of packages that run beside kernels are not read. */
const OF_PYTHON = new Set(
  `abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile
   calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars
   copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno
   faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
   hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale
   logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath
   nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix
   posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
   rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3
   sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny
   tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty
   turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib
   xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`.split(/\s+/),
);
const NOT_READ = new Set(
  `accelerate datasets einops flash_attn huggingface_hub jax jaxlib matplotlib mpmath numpy packaging pandas peft pytest scipy sympy
   tensorflow torch torchaudio torchvision tqdm transformers triton yaml`.split(/\s+/),
);
export const isOfPython = (name: string): boolean => OF_PYTHON.has(name.split(".")[0]!);
/** The one module of torch with functions that kernels call. */
const HELPERS = "torch._inductor.runtime.triton_helpers";
export const isRead = (name: string): boolean => name === HELPERS || (!isOfPython(name) && !NOT_READ.has(name.split(".")[0]!));

/** Files that mark the top folder of a project. */
const PROJECT_FILES = ["pyproject.toml", "setup.py", "setup.cfg"];
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** The name of a current folder that is not known; no package may have it. */
const NO_FOLDER = "/current-folder";

/** `level`: the most dots that a relative import of the file has: it is that deep in a package. */
export function moduleSearch(file: string, level: number, files: SearchFiles): ModuleSearch {
  const cwd = files.cwd ?? NO_FOLDER;
  const absolute = (path: string): string => normal(path.startsWith("/") ? path : `${cwd}/${path}`);
  const isRelative = !file.startsWith("/");
  const shown = (path: string): string => (isRelative && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
  const read = (path: string): string | undefined => files.readFile(shown(path));
  const isFolder = (path: string): boolean => files.isFolder?.(shown(path)) === true;

  const path = absolute(file);
  const folder = parent(path);
  const isPackage = path.endsWith("/__init__.py");
  const names = isPackage ? [] : [baseName(path).replace(/\.py$/, "")];
  let root = folder;
  const isRegular = (at: string): boolean => read(`${at}/__init__.py`) !== undefined;
  // A folder without `__init__.py` in one that has it is a package too.
  while (root !== "" && IDENTIFIER.test(baseName(root)) && names.length < LIMITS["python-packages"].most) {
    const isIn = names.length - (isPackage ? 0 : 1) < level || isRegular(root) || isRegular(parent(root));
    if (!isIn) break;
    names.unshift(baseName(root));
    root = parent(root);
  }

  let folders: readonly string[] | undefined;
  const searched = (): readonly string[] => {
    if (folders) return folders;
    const { before, after } = files.searchPath?.() ?? { before: [], after: [] };
    const project = projectOf(root);
    const own = [root, ...(baseName(root) === "src" ? [parent(root)] : []), ...(project === undefined ? [] : [project, `${project}/src`])];
    return (folders = [...new Set([...own, ...before.map(absolute), folder, ...after.map(absolute)])]);
  };
  function projectOf(at: string): string | undefined {
    for (let i = 0; i < LIMITS["python-packages"].most; i++, at = parent(at)) {
      if (isFolder(`${at}/.git`) || PROJECT_FILES.some((name) => read(`${at}/${name}`) !== undefined)) return at;
      if (at === "") break;
    }
    return undefined;
  }
  const fileOf = (base: string): FoundModule | undefined => {
    for (const [end, isPackage] of [
      ["/__init__.py", true],
      [".py", false],
    ] as const) {
      const text = read(base + end);
      if (text !== undefined) return { path: shown(base + end), text, isPackage };
    }
    return undefined;
  };
  return {
    name: names.join(".") || baseName(folder) || "__init__",
    isPackage,
    find(name) {
      if (!isRead(name)) return undefined;
      const [top, ...rest] = name.split(".");
      // The first folder that has a regular package or a module of that name has all of it.
      const first = searched().find((at) => fileOf(`${at}/${top}`) !== undefined);
      const places = first !== undefined ? [first] : searched();
      for (const at of places) {
        const found = fileOf([at, top, ...rest].join("/"));
        if (found) return found;
      }
      return places.some((at) => isFolder([at, top, ...rest].join("/"))) ? { path: undefined, text: "", isPackage: true } : undefined;
    },
    get folders() {
      return searched().map((at) => (isRelative && at === cwd ? "." : shown(at) || "/"));
    },
  };
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Without `.` and `..`. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
