/** Turns of a conversation while it is encoded, and their conversion to messages. */
import type { WireCallName } from "./encode-tool-result.ts";
import { missingResult } from "./encode-tool-result.ts";
import type { Placed } from "./placed-blocks.ts";
import { placed } from "./placed-blocks.ts";
import type {
  AssistantBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
  WireMessage,
} from "./request.ts";

export interface AssistantTurn {
  readonly role: "assistant";
  readonly blocks: AssistantBlock[];
  /** Calls that have no result yet, by our ids. */
  readonly owed: Map<string, WireCallName>;
  isPaused: boolean;
}

export interface UserTurn {
  readonly role: "user";
  readonly owed: Map<string, WireCallName>;
  readonly results: Placed<ToolResultBlock>[];
  readonly blocks: Placed<UserBlock>[];
  /** System messages from within the conversation. */
  readonly notes: string[];
}

export type Turn = AssistantTurn | UserTurn;

export function startUserTurn(owed: Map<string, WireCallName>): UserTurn {
  return { role: "user", owed, results: [], blocks: [], notes: [] };
}

/** Whether the turn is empty and owes no results. */
export function isSilent({ owed, results, blocks, notes }: UserTurn): boolean {
  return owed.size + results.length + blocks.length + notes.length === 0;
}

export function say(text: string): TextBlock {
  return { type: "text", text };
}

/** Wraps instructions, for models without system messages. */
export function asSystem(note: string): TextBlock {
  return say(`<system>${note}</system>`);
}

/** Converts turns to messages, and lists the blocks of each with their sources. */
export function layOut(turns: readonly Turn[]): {
  messages: WireMessage[];
  blocks: (readonly Placed<unknown>[])[];
} {
  const messages: WireMessage[] = [];
  const blocks: (readonly Placed<unknown>[])[] = [];
  for (const turn of turns) {
    if (turn.role === "assistant") {
      messages.push({ role: "assistant", content: turn.blocks });
      blocks.push([]);
      continue;
    }
    const missing = Array.from(turn.owed.values(), missingResult);
    const said: Placed<UserBlock>[] = [...turn.results, ...missing, ...turn.blocks];
    // A system message is allowed only between a user message and a reply.
    const standsAlone = said.length > 0;
    if (!standsAlone) said.push(...turn.notes.map((note) => placed(asSystem(note))));
    messages.push({ role: "user", content: said.map(({ block }) => block) });
    blocks.push(said);
    if (standsAlone && turn.notes.length > 0) {
      messages.push({ role: "system", content: turn.notes.map(say) });
      blocks.push([]);
    }
  }
  return { messages, blocks };
}
