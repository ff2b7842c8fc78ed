/** Lists what each entry of each package exports, with its text and its doc comment. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  childrenOf,
  declarationOf,
  fileOf,
  isNode,
  keyOf,
  namesIn,
  packages,
  resolve,
} from "./declarations.ts";
import type { Declaration, Node } from "./declarations.ts";

export type Kind = "Functions" | "Classes" | "Values" | "Types";

/** A module that users import. */
export interface Entry {
  /** What an import names, for example `@capstan/core/otel`. */
  readonly specifier: string;
  /** Folder of the package in `packages`. */
  readonly folder: string;
  /** Source file of the entry. */
  readonly file: string;
  /** Doc comment at the top of the file, or an empty text. */
  readonly doc: string;
  readonly names: readonly PublicName[];
}

/** A name that an entry exports. */
export interface PublicName {
  readonly name: string;
  readonly kind: Kind;
  /** Doc comment without its stars, or an empty text. */
  readonly doc: string;
  /** Declaration with the comments of its members, and with the types that its file keeps to itself. */
  readonly text: string;
  readonly declaration: Declaration;
  /** Types of ours that the declaration mentions. */
  readonly uses: readonly Declaration[];
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly "@capstan/source": string }>>;
}

/** Returns all entries: those of a package together, its index first. */
export function publicEntries(): readonly Entry[] {
  return readdirSync(packages)
    .toSorted()
    .flatMap((folder) => {
      const manifestPath = join(packages, folder, "package.json");
      // Our own file: publint has checked its shape.
      const { name, exports } = JSON.parse(readFileSync(manifestPath, "utf8")) as Manifest;
      return Object.entries(exports ?? {}).flatMap(([subpath, target]) => {
        if (typeof target === "string") return [];
        const file = join(packages, folder, target["@capstan/source"]);
        const names = Array.from(fileOf(file).exported, (exported) =>
          publicName(exported, resolve({ file, name: exported })),
        );
        const doc = docAt(readFileSync(file, "utf8"), 0);
        const sorted = names.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
        return [{ specifier: name + subpath.slice(1), folder, file, doc, names: sorted }];
      });
    })
    .toSorted((a, b) => a.specifier.localeCompare(b.specifier, "en"));
}

function publicName(name: string, declaration: Declaration): PublicName {
  const { code, declared } = fileOf(declaration.file);
  const statements = declared.get(declaration.name) ?? [];
  const [first, ...overloads] = statements;
  if (first === undefined) throw new Error(`${keyOf(declaration)} is not declared here`);
  const all = [...statements, ...hiddenTypes(declaration)];
  const texts = [
    withoutPrivates(code, first),
    ...overloads.map((overload) => commented(code, overload)),
    ...hiddenTypes(declaration).map((hidden) => commented(code, hidden)),
  ];
  return {
    name,
    kind: kindOf(declarationOf(first)),
    doc: docBefore(code, first.start),
    text: texts.join("\n\n"),
    declaration,
    uses: namesIn(all)
      .map((used) => resolve({ file: declaration.file, name: used }))
      .filter((used) => fileOf(used.file).declared.has(used.name)),
  };
}

/** Types that a declaration mentions and that its file does not export, with theirs. */
function hiddenTypes({ file, name }: Declaration, seen = new Set([name])): readonly Node[] {
  const { declared, exported } = fileOf(file);
  return namesIn(declared.get(name) ?? []).flatMap((used) => {
    const statements = declared.get(used);
    if (statements === undefined || exported.has(used) || seen.has(used)) return [];
    seen.add(used);
    return [...statements, ...hiddenTypes({ file, name: used }, seen)];
  });
}

function kindOf(node: Node): Kind {
  if (node.type === "ClassDeclaration") return "Classes";
  if (node.type === "VariableDeclaration") return "Values";
  return node.type.startsWith("TSInterface") || node.type.startsWith("TSTypeAlias")
    ? "Types"
    : "Functions";
}

function commented(code: string, statement: Node): string {
  const doc = docBefore(code, statement.start);
  const comment = doc === "" ? "" : `/** ${doc.replaceAll("\n", "\n * ")} */\n`;
  return comment + withoutPrivates(code, statement);
}

/** Text of a declaration. Fields that only the class itself may use are of no use to its users. */
function withoutPrivates(code: string, statement: Node): string {
  const body = declarationOf(statement)["body"];
  const members = isNode(body) ? childrenOf(body["body"]) : [];
  let text = code.slice(statement.start, statement.end);
  for (const member of members.toReversed()) {
    const isPrivate = member["accessibility"] === "private" || isPrivateName(member["key"]);
    if (!isPrivate) continue;
    const before = code.slice(statement.start, member.start);
    const start =
      docBefore(before, before.length) === "" ? before.length : before.lastIndexOf("/**");
    text = text.slice(0, start) + text.slice(member.end - statement.start);
  }
  return text.replace(/^export (?:declare )?/, "");
}

function isPrivateName(key: unknown): boolean {
  return isNode(key) && key.type === "PrivateIdentifier";
}

/** Doc comment that ends right before this index of the text. */
function docBefore(text: string, index: number): string {
  const before = text.slice(0, index).trimEnd();
  return before.endsWith("*/") ? docAt(before, before.lastIndexOf("/**")) : "";
}

/** Doc comment that begins at this index of the text. */
function docAt(text: string, index: number): string {
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(text.slice(Math.max(index, 0))) ?? [];
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim();
}

/** Returns the entry that documents a declaration: of the package that declares it, its index if that exports it. */
export function homesOf(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const homes = new Map<string, Entry>();
  for (const entry of entries) {
    for (const { declaration } of entry.names) {
      const key = keyOf(declaration);
      const home = homes.get(key);
      if (home === undefined || rank(entry, declaration) < rank(home, declaration)) {
        homes.set(key, entry);
      }
    }
  }
  return homes;
}

function rank({ folder, file }: Entry, declaration: Declaration): number {
  const isAbroad = !declaration.file.startsWith(join(packages, folder, "src"));
  return (isAbroad ? 2 : 0) + (basename(file) === "index.ts" ? 0 : 1);
}
