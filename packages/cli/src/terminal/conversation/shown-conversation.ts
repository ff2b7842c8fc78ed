/** The conversation that is shown, and the ways to show it: in the scrollback, in a window, as plain lines. */
import type { Session } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { ScreenParts } from "../screen/contracts.ts";
import type { Block, CallBlock } from "./blocks.ts";
import { Conversation } from "./conversation.ts";
import { ScrolledTranscript } from "./scrolled-transcript.ts";
import { SpokenTranscript } from "./spoken-transcript.ts";
import type { LinesOf } from "./transcript.ts";
import { Transcript } from "./transcript.ts";

export class ShownConversation {
  readonly #transcript: Transcript;
  readonly #scrolled: ScrolledTranscript;
  readonly #spoken: SpokenTranscript;
  #conversation = new Conversation();
  #previewed: readonly ChatMessage[] | undefined;

  constructor(linesOf: LinesOf) {
    const blocks = (): readonly Block[] => this.#conversation.blocks;
    this.#transcript = new Transcript(blocks, linesOf);
    this.#scrolled = new ScrolledTranscript(blocks, linesOf);
    this.#spoken = new SpokenTranscript(blocks);
  }

  get parts(): Pick<ScreenParts, "body" | "scrolled" | "spoken"> {
    return { body: this.#transcript, scrolled: this.#scrolled, spoken: this.#spoken };
  }

  get blocks(): readonly Block[] {
    return this.#conversation.blocks;
  }

  apply(event: SessionEvent): void {
    this.#conversation.apply(event);
  }

  /** Takes an event of a session below this one. */
  applyChild(event: SessionEvent): void {
    this.#conversation.applyChild(event);
  }

  /** Shows the children that are at work. */
  startChildren({ id, children }: Pick<Session, "id" | "children">): void {
    for (const child of children) {
      if (child.state !== "ended") this.#conversation.startChild(id, child);
    }
  }

  note(text: string, tone: "info" | "error"): void {
    this.#conversation.note(text, tone);
  }

  showCall(call: CallBlock): void {
    this.#conversation.showCall(call);
  }

  /** Shows the messages of a session that is not open yet, after what was noted so far. */
  preview(messages: readonly ChatMessage[]): void {
    this.#previewed = messages;
    const notices = this.blocks.filter(({ type }) => type === "notice");
    this.#conversation = new Conversation(messages, notices);
    this.#transcript.startOver();
  }

  /** Shows another session. */
  begin(messages: readonly ChatMessage[]): void {
    if (messages !== this.#previewed) {
      this.#conversation = new Conversation(messages);
      this.#transcript.startOver();
    }
    this.#previewed = undefined;
    this.#scrolled.scrollToEnd();
    this.#spoken.startOver();
  }

  /** Shows what is left after a cut. */
  cut(messages: readonly ChatMessage[]): void {
    this.#conversation = new Conversation(messages);
    this.#scrolled.scrollToEnd();
  }

  /** The user has written this prompt here. */
  expect(prompt: string): void {
    this.#scrolled.scrollToEnd();
    this.#spoken.expect(prompt);
  }
}
