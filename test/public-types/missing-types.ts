/** Finds the types that the public signatures of a package use and that its users cannot import. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { parseAst } from "rolldown/parseAst";

/** A declaration: its file, and its name there. */
interface Declaration {
  readonly file: string;
  readonly name: string;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A file as users see it: its declarations, and where its other names come from. */
interface File {
  readonly declared: ReadonlyMap<string, Node>;
  readonly exported: ReadonlySet<string>;
  /** Names that come from another file, by the name they have here. */
  readonly imported: ReadonlyMap<string, Declaration>;
}

const packages = join(import.meta.dirname, "..", "..", "packages");
const files = new Map<string, File>();

/**
 * Returns `name (used by name)` for each type that no entry of these exports. Types of @capstan/log are taken as a whole: what they are made
 * of concerns authors of stores, who have that package.
 */
export function missingTypes(entries: readonly string[]): readonly string[] {
  const listed = entries.flatMap((entry) => {
    const { exported } = fileOf(entry);
    return Array.from(exported, (name) => resolve({ file: entry, name }));
  });
  const known = new Set(listed.map(keyOf));
  const missing = listed
    .filter(({ file }) => !file.startsWith(join(packages, "log")))
    .flatMap((user) =>
      usedBy(user)
        // A type that extends one of its own name replaces it.
        .filter((used) => !known.has(keyOf(used)) && used.name !== user.name)
        .map((used) => `${used.name} (used by ${user.name})`),
    );
  return [...new Set(missing)].toSorted();
}

/** Types that a declaration names. Those that their file keeps to itself count as written out. */
function usedBy({ file, name }: Declaration, seen = new Set<string>()): readonly Declaration[] {
  const { declared, exported } = fileOf(file);
  const node = declared.get(name);
  if (node === undefined || seen.has(name)) return [];
  seen.add(name);
  return namesIn(node).flatMap((used) => {
    if (declared.has(used) && !exported.has(used)) return usedBy({ file, name: used }, seen);
    const found = resolve({ file, name: used });
    return fileOf(found.file).declared.has(found.name) ? [found] : [];
  });
}

/** Follows imports to the file that declares the name. */
function resolve(from: Declaration): Declaration {
  const next = fileOf(from.file).imported.get(from.name);
  return next === undefined ? from : resolve(next);
}

function keyOf({ file, name }: Declaration): string {
  return `${file}#${name}`;
}

function fileOf(path: string): File {
  let file = files.get(path);
  if (file === undefined) files.set(path, (file = readDeclarations(path)));
  return file;
}

function readDeclarations(path: string): File {
  if (path === "") return { declared: new Map(), exported: new Set(), imported: new Map() };
  const { code } = isolatedDeclarationSync(path, readFileSync(path, "utf8"), {
    stripInternal: true,
  });
  const declared = new Map<string, Node>();
  const exported = new Set<string>();
  const imported = new Map<string, Declaration>();
  const program = parseAst(code, { lang: "ts" }) as unknown as Node;
  for (const statement of childrenOf(program["body"])) {
    const source = statement["source"] as { readonly value: string } | null | undefined;
    const from = source ? locate(path, source.value) : undefined;
    for (const specifier of childrenOf(statement["specifiers"])) {
      const isImport = statement.type === "ImportDeclaration";
      const here = nameOf(specifier[isImport ? "local" : "exported"]);
      const there = nameOf(specifier[isImport ? "imported" : "local"]);
      if (from !== undefined) imported.set(here, { file: from, name: there });
      if (!isImport) exported.add(here);
    }
    const isExport = statement.type === "ExportNamedDeclaration";
    const node = (isExport ? statement["declaration"] : statement) as Node | null;
    for (const name of declaredNames(node)) {
      if (node !== null) declared.set(name, node);
      if (isExport) exported.add(name);
    }
  }
  return { declared, exported, imported };
}

function declaredNames(node: Node | null): readonly string[] {
  if (node === null) return [];
  const own = nameOf(node["id"]);
  const variables = childrenOf(node["declarations"]).map((variable) => nameOf(variable["id"]));
  return [own, ...variables].filter((name) => name !== "");
}

/** Other packages than ours are none of our business. */
function locate(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  const [, name, subpath = "index"] = /^@capstan\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name === undefined ? "" : join(packages, name, "src", `${subpath}.ts`);
}

/** Every type that is named in this declaration. */
function namesIn(node: Node): readonly string[] {
  const names = new Set<string>();
  visit(node, names);
  names.delete(nameOf(node["id"]));
  return [...names];
}

function visit(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) visit(item, names);
  if (!isNode(value)) return;
  // Users get instances from functions.
  if (value.type === "MethodDefinition" && value["kind"] === "constructor") return;
  if (value.type === "TSTypeReference") names.add(leftmost(value["typeName"]));
  if (value.type === "TSTypeQuery") names.add(leftmost(value["exprName"]));
  if (value.type === "TSInterfaceHeritage") names.add(leftmost(value["expression"]));
  if (value.type === "TSClassImplements") names.add(leftmost(value["expression"]));
  if ("superClass" in value) names.add(leftmost(value["superClass"]));
  for (const child of Object.values(value)) visit(child, names);
}

function leftmost(value: unknown): string {
  return isNode(value) && value.type === "TSQualifiedName"
    ? leftmost(value["left"])
    : nameOf(value);
}

function nameOf(value: unknown): string {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : "";
}

function childrenOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
