/** A conversation with one service in which everything has happened that can. */
import type { ChatMessage, ToolContract } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  cutOff,
  cutToolCall,
  echoTool,
  failingTool,
  reply,
  say,
  stall,
  think,
  tinyImage,
} from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import type { EmulatedTurn } from "../emulated-turns.ts";
import { turnWith, user } from "../emulated-turns.ts";
import type { Service } from "./services.ts";

const camera: ToolContract = {
  ...echoTool(),
  name: "camera",
  execute: () => [{ type: "text", text: "A picture" }, tinyImage],
};
export const tools: readonly ToolContract[] = [echoTool(), failingTool(), camera];

const summary: ChatMessage = {
  role: "user",
  id: "summary",
  content: "[Summary of the conversation so far] We greeted each other.",
};
const picture: ChatMessage = {
  role: "user",
  id: "picture",
  content: [{ type: "text", text: "Look" }, tinyImage],
};

/** Thinking, parallel calls, a failed one, pictures, tools of the vendor, an abort, a broken stream, half a call. */
export function historyScript({ ownTool = [] }: Service): readonly ScriptItem[] {
  return [
    reply(think("Hm"), say("Looking."), callTool("echo", { a: 1 }), callTool("fail")),
    reply(callTool("camera"), callTool("echo", { b: 2 })),
    reply(think("Ah"), ...ownTool, say("Done.")),
    reply(think("Hm"), say("Half"), stall()),
    reply(think("Hm"), say("Broken"), cutOff()),
    reply(say("Writing."), cutToolCall("echo", '{"a":')),
    reply(think("So"), say("Here.")),
  ];
}

export function turnAt(
  { vendor, model, facts: modelFacts = {}, basePath = "" }: Service,
  url: string,
): EmulatedTurn {
  return { vendor, model, url: url + basePath, tools, options: { modelFacts } };
}

/** Behind the summary of what was before, as the script has it. */
export async function makeHistory(
  service: Service,
  emulator: Emulator,
): Promise<readonly ChatMessage[]> {
  const end = emulator.requests.length + historyScript(service).length;
  const plain = turnAt(service, emulator.url);
  const turn = { ...plain, options: { ...plain.options, thinkingLevel: "high" as const } };
  const stop = new AbortController();

  const first = await turnWith({ ...turn, messages: [summary, picture] });
  const aborted = await turnWith({
    ...turn,
    messages: [...first.transcript, user("Again")],
    signal: stop.signal,
    emit: (event) => {
      if (event.type === "text_delta") stop.abort();
    },
  });
  const broken = await turnWith({ ...turn, messages: [...aborted.transcript, user("And?")] });
  const cut = await turnWith({ ...turn, messages: [...broken.transcript, user("Write")] });
  if (emulator.requests.length === end) return cut.transcript;
  // Half a call may leave no trace at all: then nothing was there to go on with.
  const last = await turnWith({ ...turn, messages: [...cut.transcript, user("And so?")] });
  return last.transcript;
}
