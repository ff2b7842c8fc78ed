/** Programs that run code: a rule for them is about files of code, not about code among the words or from their input. */
import type { ScriptWord } from "../bash/script.ts";
import type { Examine } from "./examined.ts";
import { allMarks, isInput, mayBeAnything } from "./examined.ts";
import type { Options } from "./options.ts";
import { marksOf } from "./options.ts";

interface Interpreter extends Options {
  /** Option whose value names the code to run, as a file does. */
  readonly module?: string;
  /** Options that take the next word as their value. */
  readonly withValue?: readonly string[];
  /** Options after which no file of code is needed. */
  readonly alone?: readonly string[];
}

const version = ["--version", "-V", "-v", "--help", "-h"];
const python: Interpreter = {
  short: "c",
  module: "-m",
  withValue: ["-W", "-X"],
  alone: version,
};
/** Modules of Python that run code among their words or from their input. */
const codeModules = new Set(["code", "pdb", "timeit", "trace", "cProfile", "profile", "asyncio"]);
const perl: Interpreter = {
  short: "eEnpiMmdDIx",
  alone: version,
};

const interpreters: Readonly<Record<string, Interpreter>> = {
  node: {
    short: "epr",
    long: ["eval", "print", "require", "import", "loader", "experimental-loader", "inspect-brk"],
    content: /^data:|^--(?:openssl-config|env-file|experimental-config-file)/,
    alone: [...version, "--test", "--check", "-c"],
  },
  perl,
  php: { short: "rBREdz", alone: version },
  python,
  python2: python,
  python3: python,
  lua: { short: "el", alone: version },
  ruby: { short: "enprICx", alone: version },
  Rscript: { short: "e", alone: version },
  ts: { short: "e", alone: version },
  "ts-node": { short: "epr", long: ["eval", "print", "require"], alone: version },
  tsx: { short: "epr", long: ["eval", "print", "require", "import"], alone: version },
};

/** `--import tsx` and `-r dotenv/config` name a package, which is as good as a file of code. */
const loads = /^(?:--import|--require|--loader|-r)(?:=|$)/;
const packageName = /^(?:@?[\w][\w./-]*)$/;

/** Undefined if the program is no interpreter. */
export function examineInterpreter(name: string): Examine | undefined {
  const known = /^python3\.\d+$/.test(name) ? python : ownOf(name);
  return known && ((words) => ({ marks: marksIn(words, known) }));
}

function ownOf(name: string): Interpreter | undefined {
  return Object.hasOwn(interpreters, name) ? interpreters[name] : undefined;
}

function marksIn(words: readonly ScriptWord[], known: Interpreter): readonly number[] {
  const { withValue = [], alone = [] } = known;
  const own: ScriptWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    const isFile = at > 0 && !isInput(word.text) && !mayBeAnything(word);
    // The words after the file of code are for that code.
    if (isFile) return marksOf(own, known);
    const next = words[at + 1];
    if (known.module !== undefined && /^-[A-Za-z]*m/.test(word.text)) {
      const isModule =
        word.text === known.module && next?.isKnown === true && !codeModules.has(next.text);
      return isModule ? marksOf(own, known) : allMarks(words);
    }
    if (loads.test(word.text) && isPackage(word, next)) {
      own.push(harmless, ...(word.text.includes("=") ? [] : [harmless]));
      at += word.text.includes("=") ? 0 : 1;
      continue;
    }
    own.push(word);
    if (withValue.includes(word.text) && next !== undefined) {
      own.push(next);
      at += 1;
    }
  }
  const isAlone = own.some(({ text }) => alone.includes(text));
  // Without a file the code is the input.
  return isAlone ? marksOf(own, known) : allMarks(words);
}

const harmless: ScriptWord = { text: "", isKnown: true };

function isPackage({ text }: ScriptWord, next: ScriptWord | undefined): boolean {
  const value = text.includes("=") ? text.slice(text.indexOf("=") + 1) : next?.text;
  return value !== undefined && next?.isKnown !== false && packageName.test(value);
}
