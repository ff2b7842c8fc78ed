// The lint rule of the arrows between packages and between their folders.

import { posix } from "node:path";
import type { Arrow } from "./arrows.ts";
import { arrows } from "./arrows.ts";

const sourceFile = /packages\/([^/]+)\/src\/(.+)$/;
const byPath =
  /^(\.\.\/){2,}(packages\/)?(kernel|log|core|providers|stores|toolset|mcp|server|client|testing|cli|create-capstan)\/(src|dist|test)\//;

/** Why a file of `src` may not have this import; undefined if it may. */
export function problemOf(file: string, specifier: string, isType: boolean): string | undefined {
  const [, name = "", path = ""] = sourceFile.exec(file.replaceAll("\\", "/")) ?? [];
  const arrow = arrows[name];
  if (arrow === undefined) return undefined;
  if (byPath.test(specifier)) return "Import another package by its name, not by a path.";
  const { packages, never, folders } = arrow;
  const [, imported] = /^@?capstan(?:\/([^/]+))?/.exec(specifier) ?? [];
  if (imported !== undefined && !packages.includes(imported)) {
    const allowed = packages.map((one) => `@capstan/${one}`).join(", ") || "nothing";
    return `${name} may import ${allowed} of the packages here.`;
  }
  if (never?.[0].test(specifier) === true) return never[1];
  if (folders === undefined || !specifier.startsWith(".") || isType) return undefined;
  return problemOfFolders(folders, path, posix.join(posix.dirname(path), specifier));
}

function problemOfFolders(
  folders: NonNullable<Arrow["folders"]>,
  from: string,
  to: string,
): string | undefined {
  const [folder, target] = [folderOf(from), folderOf(to)];
  if (folder === undefined || folder === target) return undefined;
  const allowed = folders[folder];
  if (allowed === undefined) return `${folder}/ is not in the table of scripts/arrows.ts.`;
  if (target === undefined) return `${folder}/ may not import an entry of the package.`;
  if (allowed.includes(target)) return undefined;
  return `${folder}/ may use code of ${allowed.join(", ") || "no other folder"}, and types of any: not code of ${target}/.`;
}

function folderOf(path: string): string | undefined {
  return path.includes("/") ? path.split("/")[0] : undefined;
}

/** The part of an import or export that the rule looks at. */
interface ImportNode {
  readonly source?: { readonly value?: unknown } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
}

interface RuleContext {
  readonly filename: string;
  report(problem: { readonly node: ImportNode; readonly message: string }): void;
}

type Visitor = Readonly<Record<string, (node: ImportNode) => void>>;

export const arrowsRule: { create(context: RuleContext): Visitor } = {
  create(context) {
    const check = (node: ImportNode, isType: boolean): void => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const message = problemOf(context.filename, specifier, isType);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => check(node, node.importKind === "type"),
      ExportNamedDeclaration: (node) => check(node, node.exportKind === "type"),
      ExportAllDeclaration: (node) => check(node, node.exportKind === "type"),
      ImportExpression: (node) => check(node, false),
    };
  },
};
