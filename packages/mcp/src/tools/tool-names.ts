/** Names of tools for models: `server__tool`, in letters that every vendor accepts, and unique. */
import { hashJson } from "@capstan/kernel";

const maxChars = 64;
const hashChars = 8;

/** Names for the tools of one server, by the names that the server gives them. */
export function toToolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = tools.map((tool) => plainName(server, tool));
  const names = new Map<string, string>();
  for (const [index, tool] of tools.entries()) {
    const name = plain[index] as string;
    const original = `${server}__${tool}`;
    // A name that had to be changed and is not unique gets a hash, whatever the order of the list is.
    const isTaken = plain.indexOf(name) !== plain.lastIndexOf(name) && name !== original;
    names.set(tool, name.length > maxChars || isTaken ? hashed(name, original) : name);
  }
  return names;
}

/** Prefix of the names of a server's tools. */
export function prefixOf(server: string): string {
  return `${toLetters(server)}__`;
}

function plainName(server: string, tool: string): string {
  return `${prefixOf(server)}${toLetters(tool)}`;
}

function toLetters(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

function hashed(name: string, original: string): string {
  const hash = hashJson(original).slice(0, hashChars);
  return `${name.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
