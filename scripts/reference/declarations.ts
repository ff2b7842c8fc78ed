/** Reads the public declarations of the packages from their sources. `isolatedDeclarations` makes each file enough for its own types. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { parseAst } from "rolldown/parseAst";

/** A declaration: its file, and its name there. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
}

/** A node of the syntax tree of a declaration file. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A file as users see it: its declarations, and where its other names come from. */
interface File {
  /** Text of the declaration file. */
  readonly code: string;
  /** Statements that declare a name; a function has one for each overload. */
  readonly declared: ReadonlyMap<string, readonly Node[]>;
  readonly exported: ReadonlySet<string>;
  /** Names that come from another file, by the name they have here. */
  readonly imported: ReadonlyMap<string, Declaration>;
}

/** Folder of the packages. */
export const packages: string = join(import.meta.dirname, "..", "..", "packages");

const files = new Map<string, File>();

/** Returns the declarations of a source file. The empty path stands for packages of others, which have none here. */
export function fileOf(path: string): File {
  let file = files.get(path);
  if (file === undefined) files.set(path, (file = readDeclarations(path)));
  return file;
}

/** Follows imports to the file that declares the name. */
export function resolve(from: Declaration): Declaration {
  const next = fileOf(from.file).imported.get(from.name);
  return next === undefined ? from : resolve(next);
}

/** Returns a text that is the same for the same declaration only. */
export function keyOf({ file, name }: Declaration): string {
  return `${file}#${name}`;
}

/** Returns the names of all types that these declarations mention, except their own. */
export function namesIn(nodes: readonly Node[]): readonly string[] {
  const names = new Set<string>();
  visit(nodes, names);
  for (const node of nodes) for (const own of declaredNames(node)) names.delete(own);
  return [...names];
}

/** Returns the name of an identifier, or an empty text. */
function nameOf(value: unknown): string {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : "";
}

/** Returns the nodes of a list that may be absent. */
export function childrenOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Returns whether the value is a node of a syntax tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Returns the declaration of a statement, which may be exported. */
export function declarationOf(statement: Node): Node {
  const inner = statement["declaration"];
  return isNode(inner) ? inner : statement;
}

function readDeclarations(path: string): File {
  const declared = new Map<string, Node[]>();
  const exported = new Set<string>();
  const imported = new Map<string, Declaration>();
  if (path === "") return { code: "", declared, exported, imported };
  const { code } = isolatedDeclarationSync(path, readFileSync(path, "utf8"), {
    stripInternal: true,
  });
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
    for (const name of declaredNames(statement)) {
      declared.set(name, [...(declared.get(name) ?? []), statement]);
      if (statement.type === "ExportNamedDeclaration") exported.add(name);
    }
  }
  return { code, declared, exported, imported };
}

function declaredNames(statement: Node): readonly string[] {
  const node = declarationOf(statement);
  const variables = childrenOf(node["declarations"]).map((variable) => nameOf(variable["id"]));
  return [nameOf(node["id"]), ...variables].filter((name) => name !== "");
}

/** Packages of others have no file here. */
function locate(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  const [, name, subpath = "index"] = /^@capstan\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name === undefined ? "" : join(packages, name, "src", `${subpath}.ts`);
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
