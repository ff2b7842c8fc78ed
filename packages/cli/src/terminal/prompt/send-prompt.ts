/** Sends a prompt with its files: as a new turn, into the turn in progress, or after it. */
import type { TurnResponse } from "@capstan/kernel";
import { readAttachments } from "../../session/attachments.ts";
import type { PromptImages } from "./prompt-images.ts";
import { mustSeeImages } from "./prompt-images.ts";
import type { Work } from "../work.ts";

export interface PromptToSend {
  readonly text: string;
  /** True to wait for the end of the turn in progress, instead of steering it. */
  readonly isLater: boolean;
  readonly images: PromptImages;
}

/** Resolves once the prompt is stored, or at the end of the turn that it starts. Throws a `CommandError` about a file. */
export async function sendPrompt(
  { session, folder, model: { chosen } }: Work,
  { text, isLater, images }: PromptToSend,
  note: (text: string, tone?: "info" | "error") => void,
): Promise<void> {
  const mentioned = await readAttachments({ prompt: text, attach: [] }, folder, (line) =>
    note(line),
  );
  const files = [...(await images.partsIn(text)), ...mentioned];
  mustSeeImages(files, chosen.model, chosen.name);
  const input = files.length === 0 ? text : [{ type: "text", text } as const, ...files];
  if (session.status === "running") {
    await (isLater ? session.followUp(input) : session.steer(input));
    return;
  }
  const { error }: TurnResponse = await session.send(input).response;
  // Turns that fail end with an event; those that never start only have a response.
  if (error?.code === "turn_unfinished" || error?.code === "calls_pending") {
    note(error.message, "error");
  }
}
