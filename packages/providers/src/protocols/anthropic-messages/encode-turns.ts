/**
 * Encodes the transcript as the vendor's turns: user and assistant alternate, the user's first, and every call is answered at the start of the
 * next turn. The result follows these rules for any transcript, because the vendor rejects everything else.
 */
import type {
  AssistantMessage,
  ChatMessage,
  ModelFacts,
  PartReference,
  ToolMessage,
  UserMessage,
} from "@capstan/kernel";
import { CallIds } from "../../projection/call-ids.ts";
import type { Target } from "../../wire/protocol.ts";
import { readableOf } from "../../projection/readable-origins.ts";
import { isBlankText } from "../../projection/shown-media.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";
import type { ClaudeTraits } from "./claude-models.ts";
import { toBlock, toTextBlock } from "./encode-media.ts";
import type { ReplyContext } from "./encode-reply.ts";
import { callsOf, isThinkingBlock, toReplyBlocks } from "./encode-reply.ts";
import type { WireCallName } from "./encode-tool-result.ts";
import { toResultBlock } from "./encode-tool-result.ts";
import { placed, placedPart, sourceAt } from "./placed-blocks.ts";
import type { AssistantBlock, TextBlock, WireMessage } from "./request.ts";
import { ServerTools } from "./server-tools.ts";
import type { AssistantTurn, Turn, UserTurn } from "./turns.ts";
import { asSystem, isSilent, layOut, say, startUserTurn } from "./turns.ts";

const callIdShape = { character: /[a-zA-Z0-9_-]/, maxLength: 64 };

export interface TurnOptions {
  readonly facts: ModelFacts | undefined;
  /** If false, no thinking is sent back, whatever its origin. */
  readonly sendsThinking: boolean;
  readonly traits: ClaudeTraits;
}

export interface EncodedTurns {
  /** System messages before the first other message. */
  readonly system: readonly TextBlock[];
  readonly messages: readonly WireMessage[];
  partAt(path: string): PartReference | undefined;
}

export function encodeTurns(
  transcript: readonly ChatMessage[],
  target: Target,
  options: TurnOptions,
): EncodedTurns {
  const leading = transcript.findIndex(({ role }) => role !== "system");
  const rest = leading === -1 ? [] : transcript.slice(leading);
  const system = transcript
    .slice(0, leading === -1 ? undefined : leading)
    .flatMap((message) => (message.role === "system" ? (toTextBlock(message.content) ?? []) : []));
  const writer = new TurnWriter(rest, target, options);
  for (const message of rest) writer.add(message);
  const { messages, blocks } = layOut(writer.finish());
  return { system, messages, partAt: (path) => sourceAt(path, blocks) };
}

class TurnWriter {
  readonly #turns: Turn[] = [];
  readonly #target: Target;
  readonly #options: TurnOptions;
  readonly #callIds: CallIds;
  readonly #serverTools: ServerTools;

  constructor(transcript: readonly ChatMessage[], target: Target, options: TurnOptions) {
    this.#target = target;
    this.#options = options;
    this.#serverTools = new ServerTools(transcript, target.origin);
    this.#callIds = new CallIds(transcript, callIdShape, (call, { origin }) => {
      if (!readableOf(origin, target.origin).native) return undefined;
      return isObject(call.providerData) ? textAt(call.providerData, "id") : undefined;
    });
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        return this.#addNote(message.content);
      case "user":
        return this.#addUser(message);
      case "assistant":
        return this.#addReply(message);
      case "tool":
        return this.#addResult(message);
      case "custom":
        return;
      default:
        return message satisfies never;
    }
  }

  finish(): readonly Turn[] {
    const last = this.#turns.at(-1);
    const { takesPrefill } = this.#options.traits;
    if (last?.role === "assistant" && !mayBeContinued(last, takesPrefill)) {
      const turn = this.#userTurn();
      if (isSilent(turn)) turn.blocks.push(placed(say("Continue.")));
    }
    if (this.#turns[0]?.role !== "assistant") return this.#turns;
    const opening = startUserTurn(new Map());
    opening.blocks.push(placed(say("[The beginning of the conversation has been omitted.]")));
    return [opening, ...this.#turns];
  }

  #addReply(message: AssistantMessage): void {
    // Failed replies are not sent. The kernel leaves them out, other callers may not.
    if (message.stopReason === "error") return;
    const { native, thinking } = readableOf(message.origin, this.#target.origin);
    const context: ReplyContext = {
      readable: { native, thinking: thinking && this.#options.sendsThinking },
      callIds: this.#callIds,
      serverTools: this.#serverTools,
      trimsPaused: this.#options.traits.takesPrefill,
    };
    const blocks = toReplyBlocks(message, context);
    if (blocks.length === 0) return;
    const turn = this.#assistantTurn();
    turn.blocks.push(...blocks);
    for (const [id, call] of callsOf(message, context)) turn.owed.set(id, call);
    turn.isPaused = message.stopReason === "pause";
  }

  #addResult(message: ToolMessage): void {
    const call = this.#turns.at(-1)?.owed.get(message.toolCallId);
    // Ignore a result whose call is missing.
    if (call === undefined) return;
    const turn = this.#userTurn();
    turn.owed.delete(message.toolCallId);
    const { result, behind } = toResultBlock(message, call, this.#options.facts);
    turn.results.push(result);
    turn.blocks.push(...behind);
  }

  /** For models without system messages, the note is sent as part of the user's side. */
  #addNote(note: string): void {
    if (isBlankText(note)) return;
    const turn = this.#userTurn();
    if (this.#options.traits.takesSystemMessages) turn.notes.push(note);
    else turn.blocks.push(placed(asSystem(note)));
  }

  #addUser({ id, content }: UserMessage): void {
    const parts =
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    parts.forEach((part, index) => {
      const block = toBlock(part, this.#options.facts);
      if (block === undefined) return;
      this.#userTurn().blocks.push(placedPart(block, id, index));
    });
  }

  /** The turn a reply belongs to. Two replies with nothing between them, as after a pause, share one. */
  #assistantTurn(): AssistantTurn {
    const last = this.#turns.at(-1);
    if (last?.role === "assistant" && last.owed.size === 0) return last;
    // Some calls are unanswered: add the turn that reports this.
    if (last?.role === "assistant") this.#userTurn();
    const turn: AssistantTurn = {
      role: "assistant",
      blocks: [],
      owed: new Map(),
      isPaused: false,
    };
    this.#turns.push(turn);
    return turn;
  }

  #userTurn(): UserTurn {
    const last = this.#turns.at(-1);
    if (last?.role === "user") return last;
    if (last?.role === "assistant") {
      dropTrailingThinking(last.blocks);
      if (last.blocks.length === 0) {
        this.#turns.pop();
        return this.#userTurn();
      }
    }
    const turn = startUserTurn(last?.owed ?? new Map<string, WireCallName>());
    this.#turns.push(turn);
    return turn;
  }
}

/** Only a paused reply is continued; by newer models only if it paused for one of the vendor's tools. */
function mayBeContinued({ isPaused, owed, blocks }: AssistantTurn, takesPrefill: boolean): boolean {
  const last = blocks.at(-1);
  if (!isPaused || owed.size > 0 || last === undefined || isThinkingBlock(last)) return false;
  return takesPrefill || /_tool_(use|result)$|^compaction$/.test(last.type);
}

/** Removes trailing thinking, with which a turn must not end: the content it led to was cut off. */
function dropTrailingThinking(blocks: AssistantBlock[]): void {
  for (let last = blocks.at(-1); last && isThinkingBlock(last); last = blocks.at(-1)) blocks.pop();
}
