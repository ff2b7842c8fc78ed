/** Lines that a conversation begins with: the model, and how to begin. */
import type { TurnRequest } from "../command-line/request.ts";
import type { Work } from "./work.ts";

export function welcome(
  { model: { chosen }, messages, session }: Work,
  { isStored }: Pick<TurnRequest, "isStored">,
): readonly string[] {
  const model = `using ${chosen.name}, because ${chosen.reason}`;
  const kept = isStored ? [] : ["this session is not stored"];
  if (messages.length > 0) return [`session ${session.id}, ${model}`, ...kept];
  const isOffline = chosen.model.provider.id === "offline";
  const connect = isOffline
    ? [
        "No model is connected. Set a key such as ANTHROPIC_API_KEY, or start a local server, and run capstan doctor.",
      ]
    : [];
  return [model, ...connect, ...kept, firstSteps];
}

const firstSteps = `Try: "What is in this folder?", @file to attach a file, /help for keys and commands.`;
