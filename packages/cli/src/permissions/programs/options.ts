/** Options of known programs that start other programs, load code, or write where the program otherwise only reads. */
import type { ScriptWord } from "../bash/script.ts";
import { mayBeAnything } from "./examined.ts";

export interface Options {
  /** Letters of short options, also inside a cluster such as `-xzI`. */
  readonly short?: string;
  /** Long options without the dashes. Abbreviations count, too. */
  readonly long?: readonly string[];
  /** Whole words, for programs with options such as `-exec`, and for subcommands. `-x=…` counts as `-x`. */
  readonly words?: readonly string[];
  /** Matches words that are marked for what they contain. */
  readonly content?: RegExp;
  /** Long options that are no abbreviations of those. */
  readonly harmless?: readonly string[];
  /** True if words after the first that is no option belong to another program. */
  readonly isLeading?: true;
}

/** Indexes of the words that these options mark; the program itself is never marked. */
export function marksOf(words: readonly ScriptWord[], options: Options): readonly number[] {
  const end = words.findIndex(({ text }, index) => index > 0 && !text.startsWith("-"));
  const last = options.isLeading === true && end !== -1 ? end + 1 : words.length;
  return [...words.keys()].slice(0, last).filter((index) => {
    const word = words[index];
    return index > 0 && word !== undefined && (mayBeAnything(word) || isMarked(word.text, options));
  });
}

function isMarked(text: string, options: Options): boolean {
  const { short = "", long = [], words = [], harmless = [], content } = options;
  const [name = ""] = text.split("=");
  if (words.includes(name) || content?.test(text) === true) return true;
  // Some programs also take long options with a single dash.
  const bare = name.replace(/^--?/, "");
  if (!text.startsWith("-")) return false;
  if (bare.length > 1 && !harmless.includes(bare) && long.some((option) => option.startsWith(bare)))
    return true;
  return (
    !text.startsWith("--") && Array.from(text.slice(1)).some((letter) => short.includes(letter))
  );
}

const compiler: Options = {
  words: ["-wrapper", "-specs", "--specs"],
  content: /^(?:-B|-fplugin|-fuse-ld|-Xlinker|-Wl,|-Wp,|-Wa,|@|-imacros|--ld-path)/,
};
const remote: Options = { short: "oFS", content: /command=/i };
const database: Options = { content: /\\|\bprogram\b|\bsystem\b|\bsource\b|^[.!]|[\n;]\s*[.!]/i };

const container: Options = {
  short: "vH",
  long: ["volume", "mount", "privileged", "pid", "cap-add", "device", "host", "config"],
};

/** Alphabetical, by the name of the program. */
export const optionsOf: Readonly<Record<string, Options>> = {
  "7z": { short: "o" },
  apt: { short: "o", long: ["option"] },
  "apt-get": { short: "o", long: ["option"] },
  ack: { long: ["pager", "ackrc"] },
  ag: { long: ["pager"] },
  aws: { words: ["configure"], long: ["endpoint-url"] },
  bat: { long: ["pager", "config-file", "generate-config-file"] },
  brew: { words: ["sh", "ruby", "irb"] },
  bun: {
    short: "er",
    long: ["eval", "print", "preload", "require", "import"],
    words: ["x", "exec", "repl", "create"],
  },
  bundle: { words: ["exec", "console", "config"] },
  bunx: { short: "p", long: ["package"], isLeading: true },
  cargo: { long: ["config"], short: "CZ" },
  cc: compiler,
  clang: compiler,
  cmake: { short: "EP" },
  composer: { words: ["exec", "config", "run-script"] },
  conda: { words: ["run", "config"] },
  cpio: { short: "F", long: ["rsh-command", "file"] },
  ctags: { long: ["options"] },
  curl: { short: "K", long: ["config", "unix-socket", "abstract-unix-socket"] },
  deno: { words: ["eval", "repl"], short: "A", content: /^(?:data|https?):/ },
  docker: container,
  "docker-compose": container,
  dotnet: { words: ["exec", "script"] },
  emacs: { short: "fl", long: ["eval", "execute", "funcall", "load", "script", "batch"] },
  env: {},
  fd: { short: "xX", long: ["exec", "exec-batch"] },
  fdfind: { short: "xX", long: ["exec", "exec-batch"] },
  find: {
    words: ["-delete", "-execdir", "-okdir", "-fls", "-fprint", "-fprint0", "-fprintf"],
  },
  "g++": compiler,
  gawk: {},
  gcc: compiler,
  gh: { words: ["alias", "extension", "ext", "config", "auth", "codespace", "cs"] },
  go: {
    words: [
      "-exec",
      "--exec",
      "-toolexec",
      "--toolexec",
      "-vettool",
      "--vettool",
      "-overlay",
      "-C",
    ],
    content: /^--?(?:ldflags|gcflags|asmflags|gccgoflags|modfile|compiler)=?.*|^-w$|^tool$/,
  },
  gradle: { short: "I", long: ["init-script", "include-build"] },
  install: { long: ["strip-program"] },
  java: { content: /^(?:-javaagent|-agentlib|-agentpath|-XX:OnError|-XX:OnOutOfMemoryError|@)/ },
  javac: { content: /^-J|^-processor|^@/ },
  kubectl: { words: ["config", "plugin"], long: ["kubeconfig"] },
  latex: { content: /shell-escape|enable-write18/ },
  less: { content: /^\+|^--?lesskey/, short: "koO" },
  man: { short: "PHCM", long: ["pager", "html", "config-file", "manpath"] },
  meson: { words: ["devenv", "wrap"] },
  lerna: { words: ["exec"] },
  mix: { words: ["cmd", "eval", "run"] },
  mvn: { content: /^exec:|^-Dexec|^org\.codehaus\.mojo:exec|^-s|^--settings|^-gs/ },
  mysql: database,
  nc: { short: "ec", long: ["exec", "sh-exec", "lua-exec"] },
  ncat: { short: "ec", long: ["exec", "sh-exec", "lua-exec"] },
  ninja: { short: "f" },
  nmap: { long: ["script"] },
  npx: {
    short: "cp",
    long: ["call", "package", "shell", "script-shell", "node-options"],
    isLeading: true,
  },
  openssl: { words: ["-engine", "-provider", "-provider-path", "-config"] },
  pandoc: {
    short: "FL",
    long: ["filter", "lua-filter", "pdf-engine", "defaults", "extract-media"],
  },
  patch: { short: "D", long: ["get"] },
  pdflatex: { content: /shell-escape|enable-write18/ },
  pdm: { words: ["run", "config"] },
  pip: { words: ["config"], long: ["config-settings", "global-option", "build-option"] },
  pip3: { words: ["config"], long: ["config-settings", "global-option", "build-option"] },
  pipenv: { words: ["run", "shell"] },
  poetry: { words: ["run", "shell", "config", "self"] },
  podman: container,
  psql: database,
  pyenv: { words: ["exec"] },
  pylint: { long: ["init-hook", "load-plugins", "rcfile"] },
  rails: { words: ["runner", "r", "console", "c", "dbconsole"] },
  rake: { short: "efrR", long: ["execute", "rakefile", "require"] },
  rbenv: { words: ["exec"] },
  rg: { long: ["pre", "hostname-bin"] },
  rsync: { short: "e", long: ["rsh", "rsync-path", "daemon", "config"] },
  rustc: { short: "C", long: ["codegen", "sysroot"] },
  rustup: { words: ["run", "override", "default"] },
  scp: remote,
  sed: {},
  sftp: { ...remote, short: "oFSbD" },
  sort: { long: ["compress-program"] },
  split: { long: ["filter"] },
  sqlite3: { ...database, long: ["cmd", "init"], words: ["-cmd", "-init"] },
  ssh: remote,
  systemctl: { words: ["edit", "link", "set-environment", "import-environment"] },
  tar: {
    short: "IF",
    long: [
      ...["use-compress-program", "to-command", "checkpoint-action", "info-script"],
      ...["new-volume-script", "rsh-command", "rmt-command"],
    ],
  },
  tcpdump: { short: "z" },
  terraform: { words: ["console"] },
  printf: { short: "v", isLeading: true },
  type: {},
  uv: { words: ["run", "tool", "x"] },
  uvx: { long: ["from", "with"], isLeading: true },
  wget: { short: "e", long: ["execute", "use-askpass", "config"] },
  yq: { content: /\bload|\bexec\b|\bsystem\b/ },
  zip: { long: ["unzip-command"], content: /^-TT/ },
};
