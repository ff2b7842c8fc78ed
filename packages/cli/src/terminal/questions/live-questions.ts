/** Questions of MCP servers that wait for the answer within a call: they end with the turn. */
import type { AskUser } from "../../mcp/open-servers.ts";
import { toServerQuestion } from "../../session/forms.ts";
import { FormPanel } from "./form-panel.ts";
import type { DeskInit } from "./question-desk.ts";

type Question = Parameters<AskUser>[0];
type Answer = Awaited<ReturnType<AskUser>>;

interface Waiting {
  readonly question: Question;
  answer(answer: Answer): void;
}

export class LiveQuestions {
  readonly #init: DeskInit;
  /** The first one is on the screen. */
  #waiting: readonly Waiting[] = [];

  constructor(init: DeskInit) {
    this.#init = init;
  }

  get isOpen(): boolean {
    return this.#waiting.length > 0;
  }

  /** Asks after those that were there before. */
  ask(question: Question): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting = [...this.#waiting, { question, answer: resolve }];
    if (this.#waiting.length === 1) this.#show();
    return promise;
  }

  /** Leaves the one on the screen without an answer. False if there is none. */
  leave(): boolean {
    const [first] = this.#waiting;
    if (first !== undefined) this.#settle(first, { action: "cancel" });
    return first !== undefined;
  }

  /** Cancels all: no call waits for them any more. */
  cancel(): void {
    if (!this.isOpen) return;
    for (const { answer } of this.#waiting) answer({ action: "cancel" });
    this.#waiting = [];
    this.#init.show(undefined);
  }

  #show(): void {
    const [first] = this.#waiting;
    if (first === undefined) return this.#init.show(undefined);
    const asked = toServerQuestion(first.question);
    // The library passes on questions of both kinds only.
    if (asked === undefined) return this.#settle(first, { action: "decline" });
    const panel = new FormPanel(asked, this.#init.look, (answer) => this.#settle(first, answer));
    this.#init.show(panel);
    this.#init.onAsked(`capstan asks for ${asked.server}: ${asked.message}`);
  }

  #settle(first: Waiting, answer: Answer): void {
    if (this.#waiting[0] !== first) return;
    this.#waiting = this.#waiting.slice(1);
    first.answer(answer);
    this.#show();
  }
}
