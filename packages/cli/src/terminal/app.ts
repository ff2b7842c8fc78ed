/** The conversation on the screen: connects a session with keys and lines. */
import { background } from "@capstan/kernel";
import type { Turn, TurnResponse, Usage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { ExitCode } from "../commands/exit-code.ts";
import { reasonOf } from "../errors/command-error.ts";
import { toOneLine } from "../print/terminal-text.ts";
import type { Io } from "../process/io.ts";
import { readAttachments } from "../session/attachments.ts";
import type { Block } from "./blocks.ts";
import { Conversation } from "./conversation.ts";
import type { Screen, ScreenParts } from "./contracts.ts";
import { runKey } from "./keys.ts";
import type { Look } from "./look.ts";
import { renderActivity } from "./render/activity.ts";
import { renderStatus } from "./render/status-line.ts";
import { QuestionDesk } from "./questions/question-desk.ts";
import { Transcript } from "./transcript.ts";
import type { Work } from "./work.ts";

/** A second ctrl+c within this time leaves. */
const leaveMs = 2_000;

/** After this time, the user may not look at the terminal any more. */
const longMs = 10_000;

export class App {
  readonly io: Io;
  readonly look: Look;
  readonly #left = Promise.withResolvers<ExitCode>();
  readonly #transcript: Transcript;
  readonly #desk: QuestionDesk;
  #screen: Screen | undefined;
  #conversation = new Conversation();
  #work: Work | undefined;
  #unsubscribe: () => void = () => {};
  #hint: { readonly text: string; readonly cancel: () => void } | undefined;
  #lastUsage: Usage | undefined;
  #workingSince: number | undefined;
  #tick: (() => void) | undefined;
  /** Prompts that were sent before the session was open. */
  readonly #early: { readonly text: string; readonly isLater: boolean }[] = [];

  constructor(io: Io, look: Look) {
    this.io = io;
    this.look = look;
    this.#transcript = new Transcript(
      () => this.#conversation.blocks,
      (block: Block, width) => this.look.linesOf(block, width),
    );
    this.#desk = new QuestionDesk({
      look,
      show: (panel) => this.#screen?.show(panel),
      note: (text, tone) => this.note(text, tone),
      run: (task) => this.run(task),
      onAsked: (text) => this.#tellUser(text),
    });
  }

  /** Resolves with the exit code once the user leaves. */
  get left(): Promise<ExitCode> {
    return this.#left.promise;
  }

  get work(): Work | undefined {
    return this.#work;
  }

  get screen(): Screen | undefined {
    return this.#screen;
  }

  get parts(): ScreenParts {
    return {
      body: this.#transcript,
      above: (width) =>
        renderActivity(
          {
            workingMs: this.#workingSince && this.io.clock.now() - this.#workingSince,
            queued: this.#work?.session.queued ?? [],
          },
          width,
          this.look,
        ),
      below: (width) => [this.#status(width)],
      onKey: (key) => runKey(key, this),
      onSubmit: (text) => this.submit(text, false),
      complete: async () => undefined,
    };
  }

  attach(screen: Screen): void {
    this.#screen = screen;
  }

  note(text: string, tone: "info" | "error" = "info"): void {
    this.#conversation.note(text, tone);
    this.#screen?.redraw();
  }

  /** Shows this session from now on. */
  enter(work: Work): void {
    this.#unsubscribe();
    this.#work = work;
    const { session, messages, cursor } = work;
    this.#conversation = new Conversation(messages);
    this.#lastUsage = messages.findLast((message) => message.role === "assistant")?.usage;
    this.#unsubscribe = session.subscribe(
      (event) => this.#onEvent(event),
      cursor === undefined ? {} : { after: cursor },
    );
    this.#transcript.startOver();
    this.#desk.reset();
    this.#followWork();
    this.#desk.update(work);
    this.#screen?.redraw();
  }

  /** Sends prompts that the user has typed in the meantime. */
  sendEarly(): void {
    for (const { text, isLater } of this.#early.splice(0)) this.submit(text, isLater);
  }

  /** `isLater`: after the turn in progress, instead of into it. */
  submit(text: string, isLater: boolean): void {
    if (text.trim() === "") return;
    this.#screen?.remember(text);
    if (this.#work === undefined) {
      this.#early.push({ text, isLater });
      return this.#setHint("waiting for the session to open …");
    }
    if (this.#desk.isReasonAsked) return this.#desk.refuse(this.#work, text);
    this.run(this.#send(this.#work, text, isLater));
  }

  submitLater(): boolean {
    const text = this.#screen?.prompt() ?? "";
    if (text.trim() === "") return true;
    this.#screen?.setPrompt("");
    this.submit(text, true);
    return true;
  }

  interrupt(): boolean {
    if (this.#desk.goBack()) return true;
    if (this.#work === undefined || !this.isWorking) return false;
    this.run(this.#work.session.abort("interrupted by the user"));
    return true;
  }

  clearOrLeave(): boolean {
    if ((this.#screen?.prompt() ?? "") !== "") {
      this.#screen?.setPrompt("");
      return true;
    }
    if (this.#hint?.text === leaveHint) this.leave(0);
    else this.#setHint(leaveHint);
    return true;
  }

  leaveIfEmpty(): boolean {
    if ((this.#screen?.prompt() ?? "") !== "") return false;
    this.leave(0);
    return true;
  }

  leave(code: ExitCode): void {
    this.#left.resolve(code);
  }

  /** Brings queued messages back into the prompt. */
  takeBack(): boolean {
    const work = this.#work;
    const queued = work?.session.queued ?? [];
    if (work === undefined || queued.length === 0) return false;
    const take = async (): Promise<void> => {
      const returned = new Set(await work.session.clearQueue());
      const texts = queued.flatMap(({ id, message }) =>
        returned.has(id) && message.role === "user" && typeof message.content === "string"
          ? [message.content]
          : [],
      );
      const own = this.#screen?.prompt() ?? "";
      this.#screen?.setPrompt([...texts, own].filter((text) => text !== "").join("\n\n"));
    };
    this.run(take());
    return true;
  }

  toggleThinking(): boolean {
    this.look.toggleThinking();
    return this.redrawAll();
  }

  redrawAll(): boolean {
    this.#screen?.restart();
    return true;
  }

  get isWorking(): boolean {
    return this.#work?.session.status === "running";
  }

  /** Runs in the background; a failure is shown. */
  run(task: Promise<unknown>): void {
    background(
      task.finally(() => this.#screen?.redraw()),
      (thrown) => this.note(reasonOf(thrown), "error"),
    );
  }

  /** Stops drawing, and ends the turn in progress if the user leaves it. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#tick?.();
    this.#hint?.cancel();
    const work = this.#work;
    if (work === undefined) return;
    if (this.isWorking && !this.io.signal.aborted) await work.session.abort("the user left");
    await work.close();
  }

  async #send(work: Work, text: string, isLater: boolean): Promise<void> {
    const { session, folder } = work;
    const note = (line: string): void => this.note(line);
    const files = await readAttachments({ prompt: text, attach: [] }, folder, note);
    const input = files.length === 0 ? text : [{ type: "text", text } as const, ...files];
    if (this.isWorking) {
      await (isLater ? session.followUp(input) : session.steer(input));
      return;
    }
    this.#report(session.send(input));
  }

  /** Turns that fail end with an event; those that never start only have a response. */
  #report({ response }: Pick<Turn<unknown, SessionEvent>, "response">): void {
    const refused = ({ error }: TurnResponse): void => {
      if (error?.code === "turn_unfinished" || error?.code === "calls_pending") {
        this.note(error.message, "error");
      }
    };
    this.run(response.then(refused));
  }

  #onEvent(event: SessionEvent): void {
    if (event.type === "history_rewound" && this.#work !== undefined) {
      this.#conversation = new Conversation(this.#work.session.messages);
      return this.#screen?.restart();
    }
    if (event.type === "message_end" && event.message.role === "assistant") {
      this.#lastUsage = event.message.usage ?? this.#lastUsage;
    }
    this.#conversation.apply(event);
    if (this.#work !== undefined) this.#desk.update(this.#work);
    this.#followWork();
    this.#screen?.redraw();
  }

  /** Counts the seconds of the turn in progress. */
  #followWork(): void {
    const isWorking = this.isWorking;
    if (isWorking === (this.#workingSince !== undefined)) return;
    if (!isWorking && !this.#desk.isOpen) this.#tellUser("capstan is done");
    this.#workingSince = isWorking ? this.io.clock.now() : undefined;
    this.#tick?.();
    this.#tick = undefined;
    if (isWorking) this.#startTick();
  }

  /** Notifies a user who may look elsewhere: the turn took long. */
  #tellUser(text: string): void {
    const since = this.#workingSince;
    if (since === undefined || this.io.clock.now() - since < longMs) return;
    this.#screen?.notify(toOneLine(text));
  }

  #startTick(): void {
    this.#tick = this.io.clock.timer(1_000, () => {
      this.#screen?.redraw();
      this.#startTick();
    });
  }

  #setHint(text: string): void {
    this.#hint?.cancel();
    const cancel = this.io.clock.timer(leaveMs, () => {
      this.#hint = undefined;
      this.#screen?.redraw();
    });
    this.#hint = { text, cancel };
    this.#screen?.redraw();
  }

  #status(width: number): string {
    const reasonHint = this.#desk.isReasonAsked ? "say why not, and press enter" : undefined;
    const session = this.#work?.session;
    const chosen = this.#work?.model.chosen;
    return renderStatus(
      {
        model: chosen?.name ?? "looking for a model …",
        folder: this.#work?.folder.cwd ?? this.io.cwd,
        contextWindow: chosen?.model.provider.contextWindow,
        last: this.#lastUsage,
        total: session?.usage ?? {},
        cost: session?.totalCost,
        queued: session?.queued.length ?? 0,
        hint: this.#hint?.text ?? reasonHint,
      },
      width,
      this.look,
    );
  }
}

const leaveHint = "press ctrl+c again to leave";
