/** Asks the user about pending calls, one after the other. An answer may also come from another process. */
import { join } from "node:path";
import type { PendingCall, TurnResponse } from "@capstan/kernel";
import { projectFileName } from "../../config/project.ts";
import { writeRule } from "../../config/write-rule.ts";
import { describeCall } from "../../print/describe-call.ts";
import type { AskUser } from "../../mcp/open-servers.ts";
import { settleCall } from "../../session/settle-calls.ts";
import { shortPath } from "../render/short-path.ts";
import type { Look } from "../render/look.ts";
import type { Panel } from "../screen/contracts.ts";
import type { Work } from "../work.ts";
import type { Choice } from "./choices.ts";
import { choicesOf } from "./choices.ts";
import { serverQuestionOf } from "../../session/forms.ts";
import { FormPanel } from "./form-panel.ts";
import { LiveQuestions } from "./live-questions.ts";
import { QuestionPanel } from "./question-panel.ts";

export interface DeskInit {
  /** The user's home folder. */
  readonly home: string;
  readonly look: Look;
  readonly show: (panel: Panel | undefined) => void;
  readonly note: (text: string, tone?: "info" | "error") => void;
  /** Runs in the background, and reports failures. */
  readonly run: (task: Promise<unknown>) => void;
  /** True while the user writes a prompt. */
  readonly isWriting: () => boolean;
  /** Called when a question waits until the prompt is sent or empty. */
  readonly onWaiting: () => void;
  /** Called when a question appears. */
  readonly onAsked: (text: string) => void;
  /** Called when a question is answered here. */
  readonly onAnswered: () => void;
}

export class QuestionDesk {
  readonly #init: DeskInit;
  readonly #live: LiveQuestions;
  #open: PendingCall | undefined;
  #panel: Panel | undefined;
  #isReasonAsked = false;
  /** Ids of the calls that were answered here: their answers are on the way. */
  readonly #answered = new Set<string>();

  constructor(init: DeskInit) {
    this.#init = init;
    this.#live = new LiveQuestions(init);
  }

  /** True while the prompt is the reason of a refusal. */
  get isReasonAsked(): boolean {
    return this.#isReasonAsked;
  }

  /** True while a question is open. */
  get isOpen(): boolean {
    return this.#open !== undefined || this.#live.isOpen;
  }

  /** Asks a question of a server that waits within a call of the turn in progress. */
  ask(question: Parameters<AskUser>[0]): ReturnType<AskUser> {
    return this.#live.ask(question);
  }

  /** Follows the pending calls of the session. */
  update(work: Work): void {
    const { session } = work;
    if (session.status !== "running") this.#live.cancel();
    const pending = session.pendingToolCalls.filter(
      ({ toolCallId }) => !this.#answered.has(toolCallId),
    );
    const open = this.#open;
    if (open !== undefined && !pending.some((call) => call.toolCallId === open.toolCallId)) {
      this.#init.note(`answered elsewhere: ${describeCall(open)}`);
      this.#close();
    }
    // A running turn may ask more. Calls of children in the background wait although no turn does.
    if (this.#open === undefined && session.status !== "running") this.#next(work, pending);
  }

  /** Forgets the question, as the session is left. */
  reset(): void {
    this.#answered.clear();
    this.#live.cancel();
    if (this.#open !== undefined) this.#close();
  }

  /** Returns from the reason to the question, or leaves a question within a call. False if there is neither. */
  goBack(): boolean {
    if (!this.#isReasonAsked) return this.#live.leave();
    this.#isReasonAsked = false;
    this.#init.show(this.#panel);
    return true;
  }

  /** Refuses the call of the open question, with a reason for the model. */
  refuse(work: Work, reason: string): void {
    const call = this.#open;
    if (call === undefined) return;
    this.#answer(work, call, () => work.session.deny(call, reason));
  }

  #next(work: Work, pending: readonly PendingCall[]): void {
    const [call] = pending;
    if (call === undefined) return;
    const { session, decide, folder } = work;
    const asked = serverQuestionOf(call);
    const decision = call.kind === "approval" ? decide(call, session.id) : undefined;
    const isQuestion = asked !== undefined || decision?.type === "ask";
    // The user did not expect it now: a letter of the prompt must not be the answer.
    const isUnexpected = session.status !== "awaiting_tool_execution";
    if (isQuestion && isUnexpected && this.#init.isWriting()) return this.#init.onWaiting();
    if (asked !== undefined) {
      this.#open = call;
      this.#panel = new FormPanel(asked, this.#init.look, (answer) => {
        const { toolCallId } = call;
        // An answer that does not fit is asked for again, under the same id.
        const onEnd = (): void => void this.#answered.delete(toolCallId);
        const output = JSON.stringify(answer);
        this.#answer(work, call, () => session.send([{ toolCallId, output }]), onEnd);
      });
      this.#init.show(this.#panel);
      return this.#init.onAsked(`capstan asks for ${asked.server}: ${asked.message}`);
    }
    if (decision?.type !== "ask") {
      const tell = (refused: PendingCall, why: string): void =>
        this.#init.note(`refused: ${describeCall(refused)} (${why})`);
      const answer = settleCall(call, (one) => decide(one, session.id), tell);
      return this.#answer(work, call, () => session.send([answer]));
    }
    const { projectFolder, folders } = folder.config;
    const choices = choicesOf(decision, {
      sessionId: session.id,
      projectFolder,
      projectFile: shortPath(join(projectFolder, projectFileName), this.#init.home),
      userFile: shortPath(folders.configFile, this.#init.home),
    });
    const question = { call, asking: decision, choices, moreCount: pending.length - 1 };
    this.#open = call;
    const onChoice = (choice: Choice): void => this.#choose(work, call, choice);
    this.#panel = new QuestionPanel(question, this.#init.look, onChoice);
    this.#init.show(this.#panel);
    this.#init.onAsked(`capstan asks: ${describeCall(call)}`);
  }

  #choose(work: Work, call: PendingCall, choice: Choice): void {
    const { session } = work;
    switch (choice.type) {
      case "once":
        return this.#answer(work, call, () => session.approve(call));
      case "always":
        return this.#init.run(this.#remember(work, call, choice));
      case "no":
        return this.#answer(work, call, () => session.deny(call, "The user said no."));
      case "reason":
        this.#isReasonAsked = true;
        return this.#init.show(undefined);
      default:
        choice satisfies never;
    }
  }

  /** The call runs only if its rules were written. */
  async #remember(
    work: Work,
    call: PendingCall,
    { rules, target }: Extract<Choice, { readonly type: "always" }>,
  ): Promise<void> {
    for (const rule of rules) {
      const problem = await writeRule({ list: "allow", rule }, target, work.folder.config.folders);
      if (problem !== undefined) return this.#init.note(problem, "error");
    }
    this.#init.note(`allowed from now on: ${rules.join(", ")}`);
    this.#answer(work, call, () => work.session.approve(call));
  }

  #answer(
    work: Work,
    call: PendingCall,
    send: () => { readonly response: Promise<TurnResponse> },
    onEnd?: () => void,
  ): void {
    this.#answered.add(call.toolCallId);
    this.#init.onAnswered();
    if (this.#open !== undefined) this.#close();
    const sent = async (): Promise<void> => {
      const { error } = await send().response;
      // Failures of the turn itself are events.
      if (error?.code === "already_answered") this.#init.note(error.message);
      if (onEnd !== undefined) {
        onEnd();
        this.update(work);
      }
    };
    this.#init.run(sent());
    this.update(work);
  }

  #close(): void {
    this.#open = undefined;
    this.#isReasonAsked = false;
    this.#init.show(undefined);
  }
}
