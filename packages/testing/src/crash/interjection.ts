/** Converts an interjection of another process to the entry that it posts. */
import type { PostedBody, SessionFold } from "@capstan/log";
import type { Interjection } from "./scenario.ts";
import { pastOf } from "./past.ts";
import { toChosenTools } from "./toolbox.ts";

export interface InterjectedPost {
  readonly id: string;
  readonly body: PostedBody;
}

/** Undefined if there is nothing to refer to. */
export function toPost(interjection: Interjection, fold: SessionFold): InterjectedPost | undefined {
  switch (interjection.do) {
    case "cancel": {
      const turnId = fold.acceptedInput?.id ?? fold.turn?.turnId;
      if (turnId === undefined) return undefined;
      return { id: "interjected", body: { type: "cancel_requested", turnId } };
    }
    case "answer": {
      const waiting = fold.pending.find(({ kind }) => kind === "execution");
      if (waiting === undefined) return undefined;
      const { toolCallId, toolName } = waiting;
      const result = { isError: false, output: `${toolName} is done` };
      return { id: "interjected", body: { type: "answer", toolCallId, result } };
    }
    case "configure": {
      const { tools, ...plain } = interjection.settings;
      const config = { ...plain, ...(tools && { tools: toChosenTools(tools) }) };
      return { id: "interjected", body: { type: "config", config } };
    }
    case "compact":
      return { id: interjection.id, body: { type: "compact" } };
    case "clearHistory":
      return { id: "interjected", body: { type: "history_cleared" } };
    case "loadHistory": {
      const messages = pastOf("interjected");
      return { id: "interjected", body: { type: "history_loaded", messages } };
    }
    case "rewind": {
      const { to } = interjection;
      return { id: "interjected", body: { type: "history_rewound", to } };
    }
    case "send":
    case "steer":
    case "followUp":
      return { id: interjection.id, body: toBody(interjection) };
    default:
      return interjection satisfies never;
  }
}

function toBody(interjection: Extract<Interjection, { readonly text: string }>): PostedBody {
  const { id, text } = interjection;
  const message = { role: "user", id, content: text } as const;
  switch (interjection.do) {
    case "send":
      return { type: "input", messages: [message] };
    case "steer":
      return { type: "steer", message };
    case "followUp":
      return { type: "follow_up", message };
    default:
      return interjection.do satisfies never;
  }
}
