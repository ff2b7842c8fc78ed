/** Decides what the offline provider says and calls next. */
import { findTarget } from "./find-target.ts";
import { describeFile, describeFolder, describeTellingFile, tellingFilesOf } from "./describe.ts";
import type { LookResult, TurnSoFar } from "./turn-so-far.ts";

export interface Move {
  readonly text: string;
  readonly calls: readonly LookCall[];
}

interface LookCall {
  readonly name: "ls" | "read";
  readonly path: string;
}

const notice = "No language model is connected: the offline provider only looks around.";

/**
 * If the prompt names a file, the file is read and described. Otherwise, or if that failed, the folder is listed, up to two
 * telling files in it are read, and both are summarized. Each look is made once per turn, so the turn ends.
 */
export function planMove(turn: TurnSoFar, tools: ReadonlySet<string>): Move {
  const { text, calls } = nextLook(turn, tools);
  const needsApology = !turn.hasReplied && calls.length > 0 && isForModel(turn.prompt);
  const paragraphs = [
    turn.hasReplied ? "" : notice,
    needsApology ? "I cannot answer this, but I can show what is in the folder." : "",
    text,
  ];
  return { text: sentences(paragraphs, "\n\n"), calls };
}

function nextLook(turn: TurnSoFar, tools: ReadonlySet<string>): Move {
  const { file, folder } = findTarget(turn.prompt);
  const fileResult = file === undefined ? undefined : turn.resultOf("read", file);
  if (file !== undefined) {
    if (fileResult === undefined && tools.has("read"))
      return look(`I read ${file}.`, "read", [file]);
    if (fileResult?.isError === false) return say(describeFile(file, fileResult.output));
  }
  const failures = [complaint("read", file, fileResult)];
  for (const path of folder === undefined ? ["."] : [folder, "."]) {
    const listing = turn.resultOf("ls", path);
    if (listing?.isError === false) return lookInside(path, listing.output, turn, tools);
    if (listing === undefined && tools.has("ls")) {
      return look(sentences([...failures, `I list ${nameOf(path)}.`]), "ls", [path]);
    }
    failures.push(complaint("list", nameOf(path), listing));
  }
  return say(sentences([...failures, whyNothing(turn, tools)]));
}

function lookInside(
  folder: string,
  listing: string,
  turn: TurnSoFar,
  tools: ReadonlySet<string>,
): Move {
  const paths = tellingFilesOf(listing).map((name) => (folder === "." ? name : join(folder, name)));
  const unread = paths.filter((path) => turn.resultOf("read", path) === undefined);
  if (unread.length > 0 && tools.has("read")) {
    return look(`I read ${unread.join(" and ")}.`, "read", unread);
  }
  const descriptions = paths.map((path) => {
    const result = turn.resultOf("read", path);
    return result?.isError === false
      ? describeTellingFile(path, result.output)
      : complaint("read", path, result);
  });
  return say(sentences([describeFolder(nameOf(folder), listing), ...descriptions], "\n"));
}

function whyNothing({ hasReplied }: TurnSoFar, tools: ReadonlySet<string>): string {
  if (hasReplied) return "There is nothing more I can look at.";
  return tools.size === 0
    ? "I have no tools, so I cannot look at anything."
    : "None of my tools can list a folder (ls), so I cannot look at anything.";
}

function isForModel(prompt: string): boolean {
  const { file, folder } = findTarget(prompt);
  const isAboutFolder = /\b(folder|director(y|ies)|files?|repo(sitory)?|project)\b/i.test(prompt);
  return file === undefined && folder === undefined && !isAboutFolder;
}

function complaint(verb: string, what: string | undefined, result: LookResult | undefined): string {
  if (what === undefined || result?.isError !== true) return "";
  const reason = result.output.split("\n")[0]?.trim() || "no reason was given";
  return `I could not ${verb} ${what}: ${reason.slice(0, 300)}`;
}

function look(text: string, name: LookCall["name"], paths: readonly string[]): Move {
  return { text, calls: paths.map((path) => ({ name, path })) };
}

function say(text: string): Move {
  return { text, calls: [] };
}

function sentences(parts: readonly string[], separator = " "): string {
  return parts.filter(Boolean).join(separator);
}

function nameOf(folder: string): string {
  return folder === "." ? "this folder" : folder;
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
