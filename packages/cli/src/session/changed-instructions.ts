/** Tells the model what has changed in its instructions. The prompt itself stays, and so does the vendor's cached prefix. */
import { createHash } from "node:crypto";
import type { ChatMessage } from "@capstan/kernel";
import type { Notice, Told } from "../print/notice.ts";
import { noticeIn } from "../print/notice.ts";
import type { InstructionFacts } from "./instructions.ts";
import { pathsIn, quoted, surroundingsOf } from "./instructions.ts";

interface Change {
  readonly summary: string;
  readonly text: string;
}

/** Compares the facts with the last notice among these messages, else with the system prompt. Undefined if nothing has changed. */
export function noticeOfChanges(
  facts: InstructionFacts,
  instructions: string,
  messages: readonly ChatMessage[],
): Notice | undefined {
  const surroundings = surroundingsOf(facts);
  const files = Object.fromEntries(facts.files.map((file) => [file.path, hashOf(quoted(file))]));
  const last = messages.reduce<Told | undefined>(
    (found, one) => noticeIn(one)?.told ?? found,
    undefined,
  );
  const known = last === undefined ? pathsIn(instructions) : Object.keys(last.files);
  const isTold = (path: string, text: string): boolean =>
    last === undefined
      ? instructions.includes(`Contents of ${path}:\n${text}`)
      : last.files[path] === hashOf(text);
  const changed = facts.files.flatMap((file): readonly Change[] => {
    const [path, text] = [file.path, quoted(file)];
    if (isTold(path, text)) return [];
    const [what, says] = known.includes(path)
      ? ["has changed", "It now says"]
      : ["is new", "It says"];
    return [{ summary: `${path} ${what}`, text: `${path} ${what}. ${says}:\n${text}` }];
  });
  const removed = known
    .filter((path) => !Object.hasOwn(files, path))
    .map((path): Change => {
      const summary = `${path} was removed`;
      return { summary, text: `${summary}: its instructions no longer apply.` };
    });
  const areSurroundingsTold =
    last === undefined ? instructions.includes(surroundings) : last.surroundings === surroundings;
  const moved: readonly Change[] = areSurroundingsTold
    ? []
    : [{ summary: "the day, the folder or the sandbox has changed", text: surroundings }];
  const changes = [...changed, ...removed, ...moved];
  if (changes.length === 0) return undefined;
  return {
    role: "user",
    content: [heading, ...changes.map(({ text }) => text)].join("\n\n"),
    metadata: {
      writtenBy: "capstan",
      changes: changes.map(({ summary }) => summary),
      told: { surroundings, files },
    },
  };
}

const heading =
  "[Written by Capstan, not by the user] Your instructions have changed since they were written. This takes precedence over the earlier version:";

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
