/** Parts of one assistant message on their way to a page, from deltas, a snapshot or the whole message, in any mixture. */
import type { AssistantPart, LiveMessage, LivePart } from "@capstan/kernel";
import type { Chunk } from "./chunks.ts";

type Prose = "text" | "reasoning";

interface SentProse {
  readonly kind: Prose;
  readonly id: string;
  /** Characters of the whole part that the page has. */
  chars: number;
  isClosed: boolean;
}

interface SentCall {
  readonly kind: "call";
  readonly toolCallId: string;
  chars: number;
}

type Sent = SentProse | SentCall;

/** Functions that a message needs of its stream. */
export interface PartTarget {
  push(chunk: Chunk): void;
  /** Announces a call, unless the page knows it. */
  startCall(toolCallId: string, toolName: string): void;
}

export class ReplyParts {
  readonly #target: PartTarget;
  readonly #messageId: string;
  readonly #sent: Sent[] = [];
  readonly #callsByIndex = new Map<number, SentCall>();

  constructor(messageId: string, target: PartTarget) {
    this.#messageId = messageId;
    this.#target = target;
  }

  /** Whether the page was shown anything. */
  get hasContent(): boolean {
    return this.#sent.length > 0;
  }

  addProse(kind: Prose, delta: string): void {
    const last = this.#sent.at(-1);
    const open = isOpenProse(last) && last.kind === kind ? last : this.#open(kind);
    this.#grow(open, delta);
  }

  startCall(index: number, toolCallId: string, toolName: string): void {
    this.closeProse();
    const call: SentCall = { kind: "call", toolCallId, chars: 0 };
    this.#sent.push(call);
    this.#callsByIndex.set(index, call);
    this.#target.startCall(toolCallId, toolName);
  }

  addInput(index: number, delta: string): void {
    const call = this.#callsByIndex.get(index);
    if (call === undefined) return;
    call.chars += delta.length;
    this.#target.push({
      type: "tool-input-delta",
      toolCallId: call.toolCallId,
      inputTextDelta: delta,
    });
  }

  closeProse(): void {
    const last = this.#sent.at(-1);
    if (isOpenProse(last)) this.#close(last);
  }

  /** Brings the page up to a live message. Its last part stays open. */
  catchUp({ content }: LiveMessage): void {
    let at = 0;
    for (const [index, part] of content.entries()) {
      const isLast = index === content.length - 1;
      at = part.type === "tool_call" ? this.#catchUpCall(part, at) : this.#catchUpProse(part, at);
      const sent = this.#sent[at - 1];
      if (!isLast && isOpenProse(sent)) this.#close(sent);
    }
  }

  /** Brings the page up to the whole message. Its calls are announced; whether they may run is told elsewhere. */
  complete(content: readonly AssistantPart[]): void {
    let at = 0;
    for (const part of content) {
      if (part.type === "native") continue;
      if (part.type === "tool_call") {
        at = this.#find(at, (sent) => sent.kind === "call" && sent.toolCallId === part.id);
        if (this.#sent[at] === undefined) {
          this.#sent.push({ kind: "call", toolCallId: part.id, chars: 0 });
          this.#target.startCall(part.id, part.name);
        }
        at += 1;
        continue;
      }
      const [kind, text] = proseOf(part);
      at = this.#takeProse(kind, text, 0, at);
      const sent = this.#sent[at - 1];
      if (isOpenProse(sent)) this.#close(sent);
    }
    this.closeProse();
  }

  #catchUpProse(part: Extract<LivePart, { type: "text" | "thinking" }>, at: number): number {
    const [kind, text] = proseOf(part);
    return this.#takeProse(kind, text, part.omittedChars ?? 0, at);
  }

  #catchUpCall(part: Extract<LivePart, { type: "tool_call" }>, from: number): number {
    const at = this.#find(from, (sent) => sent.kind === "call" && sent.toolCallId === part.id);
    if (this.#sent[at] === undefined) this.startCall(part.index, part.id, part.name);
    const call = this.#sent[at] as SentCall;
    const missing = missingOf(part.inputText, part.omittedChars ?? 0, call.chars);
    if (missing !== "") this.addInput(part.index, missing);
    return at + 1;
  }

  /** Sends what the page lacks of a part, which ends `omitted` characters after its text's length. Returns the position after it. */
  #takeProse(kind: Prose, text: string, omitted: number, from: number): number {
    const at = this.#find(from, (sent) => sent.kind === kind);
    const found = this.#sent[at];
    const prose = found === undefined || found.kind === "call" ? this.#open(kind) : found;
    const missing = missingOf(text, omitted, prose.chars);
    if (missing !== "" && !prose.isClosed) this.#grow(prose, missing);
    return at + 1;
  }

  /** Position of the part, or after the last one. Parts in between were empty, and are not in the message. */
  #find(from: number, isSought: (sent: Sent) => boolean): number {
    const at = this.#sent.findIndex((sent, index) => index >= from && isSought(sent));
    return at === -1 ? this.#sent.length : at;
  }

  #open(kind: Prose): SentProse {
    this.closeProse();
    const id = `${this.#messageId}-${this.#sent.length + 1}`;
    const prose: SentProse = { kind, id, chars: 0, isClosed: false };
    this.#sent.push(prose);
    this.#target.push({ type: `${kind}-start`, id });
    return prose;
  }

  #grow(prose: SentProse, delta: string): void {
    prose.chars += delta.length;
    this.#target.push({ type: `${prose.kind}-delta`, id: prose.id, delta });
  }

  #close(prose: SentProse): void {
    prose.isClosed = true;
    this.#target.push({ type: `${prose.kind}-end`, id: prose.id });
  }
}

function isOpenProse(sent: Sent | undefined): sent is SentProse {
  return sent !== undefined && sent.kind !== "call" && !sent.isClosed;
}

function proseOf(
  part: Extract<AssistantPart | LivePart, { type: "text" | "thinking" | "refusal" }>,
): readonly [Prose, string] {
  return part.type === "thinking" ? ["reasoning", part.thinking] : ["text", part.text];
}

/** Rest of a text after the characters that the page has. Characters that a snapshot omits are lost to it. */
function missingOf(text: string, omitted: number, chars: number): string {
  return text.slice(Math.max(0, chars - omitted));
}
