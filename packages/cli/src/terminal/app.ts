/** The conversation on the screen: connects a session with keys and lines. */
import { basename } from "node:path";
import { background } from "@capstan/kernel";
import type { ChatMessage, Usage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { ExitCode } from "../commands/exit-code.ts";
import { failed, reasonOf } from "../errors/command-error.ts";
import type { AskUser } from "../mcp/open-servers.ts";
import type { Io } from "../process/io.ts";
import { Attention } from "./attention.ts";
import { ShownConversation } from "./conversation/shown-conversation.ts";
import { isSlash, runSlash } from "./commands/run-slash.ts";
import { complete } from "./prompt/complete.ts";
import type { Rgb, Screen, ScreenParts } from "./screen/contracts.ts";
import { Hint } from "./render/hint.ts";
import { runKey } from "./keys.ts";
import type { ListItem } from "./panels/list-panel.ts";
import { ListPanel } from "./panels/list-panel.ts";
import type { Look } from "./render/look.ts";
import { renderActivity } from "./render/activity.ts";
import { renderStatus } from "./render/status-line.ts";
import type { ThemeName } from "./render/theme.ts";
import { QuestionDesk } from "./questions/question-desk.ts";
import { clipboardImage } from "./prompt/clipboard-image.ts";
import { PromptImages } from "./prompt/prompt-images.ts";
import { sendPrompt } from "./prompt/send-prompt.ts";
import { UserShell } from "./prompt/shell.ts";
import { takeBack } from "./prompt/take-back.ts";
import { statusOf } from "./status-of.ts";
import type { OpenWork, Work, WorkChanges } from "./work.ts";

/** A terminal that tells its background later is not followed: the colours would change under the user's eyes. */
const backgroundMs = 3_000;

export class App {
  readonly io: Io;
  readonly look: Look;
  readonly #open: OpenWork;
  readonly #left = Promise.withResolvers<ExitCode>();
  readonly #conversation: ShownConversation;
  readonly #attention: Attention;
  readonly #images = new PromptImages();
  readonly #openedAt: number;
  readonly #desk: QuestionDesk;
  #screen: Screen | undefined;
  #work: Work | undefined;
  #unsubscribe: () => void = () => {};
  readonly #hint: Hint;
  #lastUsage: Usage | undefined;
  /** True if the turn in progress was started or answered here: leaving interrupts it. */
  #isOurs = false;
  #tick: (() => void) | undefined;
  readonly #shell = new UserShell((block) => {
    this.#conversation.showCall(block);
    this.#screen?.redraw();
  });
  /** Prompts of this session, for the search. */
  #prompts: string[] = [];
  /** Prompts that were sent before the session was open. */
  readonly #early: { readonly text: string; readonly isLater: boolean }[] = [];

  constructor(io: Io, look: Look, open: OpenWork) {
    this.io = io;
    this.look = look;
    this.#open = open;
    this.#hint = new Hint(io.clock, () => this.#screen?.redraw());
    this.#openedAt = io.clock.now();
    this.#attention = new Attention(io.clock, () => this.#screen);
    this.#conversation = new ShownConversation((block, width) => look.linesOf(block, width));
    this.#desk = new QuestionDesk({
      home: io.home,
      look,
      show: (panel) => this.#screen?.show(panel),
      note: (text, tone) => this.note(text, tone),
      run: (task) => this.run(task),
      isWriting: () => (this.#screen?.prompt() ?? "") !== "",
      onWaiting: () => this.#hint.set("a question waits: send the prompt, or clear it"),
      onAsked: (text) => this.#attention.ask(text),
      onAnswered: () => {
        this.#isOurs = true;
      },
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
      ...this.#conversation.parts,
      hint: () => this.#hintText,
      above: (width) =>
        renderActivity(
          {
            workingMs: this.#attention.workingMs,
            queued: this.#work?.session.queued ?? [],
          },
          width,
          this.look,
        ),
      below: (width) => [this.#status(width)],
      onKey: (key) => runKey(key, this),
      onSubmit: (text) => this.submit(text, false),
      onCleared: () => {
        if (this.#work !== undefined) this.#desk.update(this.#work);
      },
      isStarting: () => false,
      onPaste: (text) => this.#images.insteadOf(text, this.#work?.folder.cwd ?? this.io.cwd),
      onBackground: (colour) => this.#onBackground(colour),
      complete: (before, signal) => complete(before, this.#work?.folder.cwd ?? this.io.cwd, signal),
    };
  }

  attach(screen: Screen): void {
    this.#screen = screen;
  }

  note(text: string, tone: "info" | "error" = "info"): void {
    this.#conversation.note(text, tone);
    this.#screen?.redraw();
  }

  /** Asks a question of an MCP server that waits for the answer within its call. */
  ask(question: Parameters<AskUser>[0]): ReturnType<AskUser> {
    return this.#desk.ask(question);
  }

  /** Shows these messages, which another process may add to, until the session is open. */
  preview(messages: readonly ChatMessage[]): void {
    this.#conversation.preview(messages);
    this.#screen?.redraw({ isAtOnce: true });
  }

  /** Shows this session from now on. */
  enter(work: Work): void {
    this.#unsubscribe();
    this.#work = work;
    this.#isOurs = false;
    const { session, messages, cursor } = work;
    this.#conversation.begin(messages);
    for (const block of this.#conversation.blocks) {
      if (block.type === "user") this.#remember(block.text);
    }
    this.#lastUsage = messages.findLast((message) => message.role === "assistant")?.usage;
    this.#conversation.startChildren(session);
    this.#unsubscribe = session.subscribe((event) => this.#onEvent(event), {
      tree: true,
      ...(cursor !== undefined && { after: cursor }),
    });
    this.#attention.setName(basename(work.folder.cwd));
    this.#desk.reset();
    this.#followWork();
    this.#desk.update(work);
    this.#screen?.redraw();
  }

  /** Leaves the session for another one, or opens it again with another model. Throws like the commands do. */
  async reopen(changes: WorkChanges): Promise<void> {
    const old = this.#work;
    if (this.isWorking) throw failed("A turn is in progress: interrupt it with esc first.");
    const next = await this.#open(changes, old);
    this.enter(next);
    await old?.close();
    this.note(`session ${next.session.id}, using ${next.model.chosen.name}`);
  }

  /** Sends prompts that the user has typed in the meantime. */
  sendEarly(): void {
    for (const { text, isLater } of this.#early.splice(0)) this.submit(text, isLater);
  }

  /** `isLater`: after the turn in progress, instead of into it. */
  submit(text: string, isLater: boolean): void {
    if (text.trim() === "") return;
    this.#remember(text);
    if (this.#work === undefined) {
      this.#early.push({ text, isLater });
      return this.#hint.set("waiting for the session to open …");
    }
    const work = this.#work;
    if (this.#desk.isReasonAsked) return this.#desk.refuse(work, text);
    if (isSlash(text)) return this.run(runSlash(this, text, work));
    if (text.startsWith("!")) {
      const command = text.slice(1).trim();
      return this.run(this.#shell.run({ command, cwd: work.folder.cwd, env: this.io.env }));
    }
    if (!this.isWorking) this.#isOurs = true;
    this.#conversation.expect(text);
    const images = this.#images;
    this.run(sendPrompt(work, { text, isLater, images }, (line, tone) => this.note(line, tone)));
  }

  submitLater(): boolean {
    const text = this.#screen?.prompt() ?? "";
    if (text.trim() === "") return true;
    this.#screen?.setPrompt("");
    this.submit(text, true);
    return true;
  }

  interrupt(): boolean {
    if (this.#shell.kill() || this.#desk.goBack()) return true;
    if (this.#work === undefined || !this.isWorking) return false;
    this.run(this.#work.session.abort("interrupted by the user"));
    return true;
  }

  clearOrLeave(): boolean {
    if ((this.#screen?.prompt() ?? "") !== "") {
      this.#screen?.setPrompt("");
      return true;
    }
    if (this.#hint.text === leaveHint) this.leave(0);
    else this.#hint.set(leaveHint);
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
    const session = this.#work?.session;
    if (session === undefined || session.queued.length === 0) return false;
    const take = async (): Promise<void> => {
      const texts = [...(await takeBack(session)), this.#screen?.prompt() ?? ""];
      this.#screen?.setPrompt(texts.filter((text) => text !== "").join("\n\n"));
    };
    this.run(take());
    return true;
  }

  searchPrompts(): boolean {
    const prompts = [...new Set(this.#prompts.toReversed())];
    const find = async (): Promise<void> => {
      const items = prompts.map((prompt) => ({ value: prompt, label: prompt }));
      const found = await this.choose("Earlier prompts", items);
      if (found !== undefined) this.#screen?.setPrompt(found);
    };
    this.run(find());
    return true;
  }

  /** Resolves with undefined if the user leaves the list. */
  choose<Value>(title: string, items: readonly ListItem<Value>[]): Promise<Value | undefined> {
    const { promise, resolve } = Promise.withResolvers<Value | undefined>();
    const onChoice = (value: Value | undefined): void => {
      this.#screen?.show(undefined);
      resolve(value);
    };
    const onChange = (): void => this.#screen?.redraw();
    this.#screen?.show(new ListPanel({ title, items, onChoice, onChange }, this.look));
    return promise;
  }

  /** Stops the process, like other programs do; the shell's `fg` continues it. */
  suspend(): boolean {
    const suspended = this.#screen?.suspend();
    if (suspended === undefined) this.#hint.set("this system cannot suspend the command");
    else this.run(suspended);
    return true;
  }

  /** By pages, or to the end. False if the terminal itself scrolls. */
  scroll(pages: number | "end"): boolean {
    const lines = pages === "end" ? pages : Math.round(pages * Math.max(1, this.#pageRows()));
    return this.#screen?.scroll(lines) ?? false;
  }

  /** Adds the image of the clipboard to the prompt. */
  pasteImage(): boolean {
    const paste = async (): Promise<void> => {
      const image = await clipboardImage(this.io.platform, this.io.env);
      this.#screen?.insert(`${this.#images.add(Promise.resolve(image))} `);
    };
    this.run(paste());
    return true;
  }

  chooseTheme(name: ThemeName): void {
    this.look.choose(name);
    this.redrawAll();
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
    this.#hint.stop();
    this.#shell.kill();
    const work = this.#work;
    if (work === undefined) return;
    if (this.isWorking && this.#isOurs && !this.io.signal.aborted)
      await work.session.abort("the user left");
    await work.close();
  }

  #remember(prompt: string): void {
    this.#prompts.push(prompt);
    this.#screen?.remember(prompt);
  }

  #onEvent(event: SessionEvent): void {
    if (event.sessionId !== this.#work?.session.id) {
      this.#conversation.applyChild(event);
      return this.#screen?.redraw();
    }
    if (event.type === "history_rewound") {
      this.#conversation.cut(this.#work.session.messages);
      return this.#screen?.restart();
    }
    if (event.type === "message_end" && event.message.role === "assistant") {
      this.#lastUsage = event.message.usage ?? this.#lastUsage;
    }
    this.#conversation.apply(event);
    this.#desk.update(this.#work);
    this.#followWork();
    this.#screen?.redraw();
  }

  /** Counts the seconds of the turn in progress. */
  #followWork(): void {
    const isWorking = this.isWorking;
    if (isWorking === (this.#tick !== undefined)) return;
    this.#tick?.();
    this.#tick = undefined;
    this.#screen?.setWorking(isWorking);
    if (isWorking) {
      this.#attention.begin();
      return this.#startTick();
    }
    this.#isOurs = false;
    if (!this.#desk.isOpen) this.#attention.end();
  }

  #onBackground(colour: Rgb): void {
    const isLate = this.io.clock.now() - this.#openedAt > backgroundMs;
    if (!isLate && this.look.follow(colour)) this.#screen?.redraw();
  }

  #pageRows(): number {
    return (this.io.terminal?.rows ?? 0) - 6;
  }

  #startTick(): void {
    this.#tick = this.io.clock.timer(1_000, () => {
      this.#screen?.redraw();
      this.#startTick();
    });
  }

  get #hintText(): string | undefined {
    const reasonHint = this.#desk.isReasonAsked ? "say why not, and press enter" : undefined;
    return this.#hint.text ?? reasonHint;
  }

  #status(width: number): string {
    const shown = { last: this.#lastUsage, hint: this.#hintText };
    return renderStatus(statusOf(this.#work, this.io, shown), width, this.look);
  }
}

const leaveHint = "press ctrl+c again to leave";
