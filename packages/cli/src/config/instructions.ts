/** AGENTS.md, or CLAUDE.md in a folder without it: what a user and a project tell the model. Text, never settings. */
import { join, sep } from "node:path";
import { wayInside } from "../permissions/way-inside.ts";
import { readTextFile } from "./read-file.ts";

export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

export interface Instructions {
  readonly files: readonly InstructionFile[];
  /** One line each. */
  readonly notes: readonly string[];
}

/** The first one that a folder has is read. */
const fileNames = ["AGENTS.md", "CLAUDE.md"];
const maxBytes = 64 * 1024;

export interface InstructionFolders {
  /** Folder of the user's own settings; its file may link anywhere. */
  readonly user: string;
  /** A project's files may not link out of it. */
  readonly project: string;
  readonly cwd: string;
}

/** Reads the user's file first, then those from the project's folder down to the working folder. */
export async function readInstructions(folders: InstructionFolders): Promise<Instructions> {
  const { user, project, cwd } = folders;
  const inProject = foldersDownTo(project, cwd).filter((folder) => folder !== user);
  const read = await Promise.all([
    readFolder(user),
    ...inProject.map((folder) => readFolder(folder, project)),
  ]);
  return {
    files: read.flatMap(({ files }) => files),
    notes: read.flatMap(({ notes }) => notes),
  };
}

function foldersDownTo(project: string, cwd: string): readonly string[] {
  const parts = wayInside(project, cwd)?.split(sep).filter(Boolean) ?? [];
  return [project, ...parts.map((_, index) => join(project, ...parts.slice(0, index + 1)))];
}

async function readFolder(folder: string, project?: string): Promise<Instructions> {
  for (const name of fileNames) {
    const read = await readInstruction(join(folder, name), project);
    if (read !== undefined) return read;
  }
  return { files: [], notes: [] };
}

/** Undefined if there is no such file. */
async function readInstruction(
  path: string,
  project: string | undefined,
): Promise<Instructions | undefined> {
  const mayLead = (real: string): boolean =>
    project === undefined || wayInside(project, real) !== undefined;
  const read = await readTextFile(path, maxBytes, mayLead);
  if (read.type === "absent") return undefined;
  if (read.type === "problem") return { files: [], notes: [`${path} ${read.reason}: ignored.`] };
  if (read.text.trim() === "") return { files: [], notes: [] };
  const notes = read.isCut ? [`${path} is larger than 64 KB: the rest is ignored.`] : [];
  return { files: [{ path, text: read.text }], notes };
}
