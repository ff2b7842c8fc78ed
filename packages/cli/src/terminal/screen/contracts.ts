/** Interfaces between the conversation and the library that draws it. */

/** The user's terminal: its size, its keys, its screen. */
export interface TerminalDevice {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Turns off echo and line editing; for `fullscreen`, shows the alternate screen. Input is kept until `listen`. */
  open(kind: ScreenKind): void;
  listen(listener: DeviceListener): void;
  /** Restores the terminal. May be called at any time, and more than once. */
  close(): void;
  /** Stops the process on a restored terminal; resolves once it continues. Absent if the system cannot. */
  suspend?(): Promise<void>;
}

/** `main`: the terminal's own scrollback. `fullscreen`: the alternate screen. `lines`: for screen readers, never redrawn. */
export type ScreenKind = "main" | "fullscreen" | "lines";

export interface DeviceListener {
  readonly input: (text: string) => void;
  readonly resize: () => void;
  /** Called after the process was stopped and continued: the terminal has lost its modes. */
  readonly continued: () => void;
}

/** Measures and breaks text that may contain colours. Lines never exceed the width. */
export interface Typesetter {
  widthOf(text: string): number;
  wrap(text: string, width: number): readonly string[];
  /** Shortens one line, with an ellipsis at its end. */
  cut(text: string, width: number): string;
  markdown(text: string, width: number): readonly string[];
}

/** Name of a key, such as `enter`, `alt+enter`, `ctrl+c` or `a`. */
export type KeyName = string;

/** A question or a list that replaces the prompt editor while it is open. */
export interface Panel {
  lines(width: number, rows: number): readonly string[];
  /** `text`: what the key would insert. */
  onKey(key: KeyName, text: string): void;
  /** All of it as plain lines, for screens that are not redrawn. Written again after an answer that leaves it open. */
  plainLines(): readonly string[];
  /** A line that the user has written as the answer. */
  onLine(text: string): void;
}

/** Lines of the conversation, from the first one that is still visible. */
export interface Body {
  lines(width: number): readonly string[];
  /** Called once the first lines have left the window: they are never drawn again. */
  forget(count: number): void;
  /** Called before a frame that draws the window again: the last `count` lines, and those of the window as it was. */
  showLast(width: number, count: number): void;
}

/** A window on the conversation that can be moved, for screens without a scrollback. */
export interface ScrolledBody {
  /** At most `count` lines. */
  window(width: number, count: number): readonly string[];
  /** Moves up if negative. */
  scrollBy(lines: number): void;
  scrollToEnd(): void;
  readonly isAtEnd: boolean;
}

/** The conversation as plain lines that are written once. */
export interface SpokenBody {
  /** Lines that are new and will not change. */
  next(): readonly string[];
}

interface Completion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** Content of the screen and reactions to the user, as the screen asks for them. */
export interface ScreenParts {
  readonly body: Body;
  readonly scrolled: ScrolledBody;
  readonly spoken: SpokenBody;
  /** A text for the moment, which replaces the line below the prompt. */
  readonly hint: () => string | undefined;
  /** Lines between the conversation and the prompt. */
  readonly above: (width: number) => readonly string[];
  /** Lines below the prompt. */
  readonly below: (width: number) => readonly string[];
  /** True if the key was used: the editor does not get it. */
  readonly onKey: (key: KeyName) => boolean;
  readonly onSubmit: (text: string) => void;
  /** Called when the prompt has become empty. */
  readonly onCleared: () => void;
  /** True while the rest of the command is being loaded. */
  readonly isStarting: () => boolean;
  /** Returns the text that a paste inserts. */
  readonly onPaste: (text: string) => string;
  /** Called with the background colour of the terminal, if it tells one. */
  readonly onBackground: (colour: Rgb) => void;
  /** Completions for the text before the cursor. `start`: index at which the completed word begins. */
  readonly complete: (
    before: string,
    signal: AbortSignal,
  ) => Promise<{ readonly start: number; readonly items: readonly Completion[] } | undefined>;
}

/** Each from 0 to 255. */
export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

export interface Screen {
  readonly kind: ScreenKind;
  /** Draws soon, at most 30 times a second, unless it is asked to draw at once. */
  redraw(options?: { readonly isAtOnce?: boolean }): void;
  /** Erases the window and draws it again, for content that has changed as a whole. */
  restart(): void;
  /** Text of the prompt editor, with folded pastes expanded. */
  prompt(): string;
  setPrompt(text: string): void;
  /** Inserts text at the cursor of the prompt. */
  insert(text: string): void;
  /** Adds a prompt that the up key brings back. */
  remember(prompt: string): void;
  /** Shows the panel instead of the editor; undefined shows the editor again. */
  show(panel: Panel | undefined): void;
  /** Copies the text to the clipboard, if the terminal allows it. */
  copy(text: string): void;
  /** Tells that a turn has begun or ended. */
  setWorking(isWorking: boolean): void;
  /** Title of the terminal's window. */
  setTitle(title: string): void;
  /** Rings the bell, and shows a notification if the terminal can. */
  notify(text: string): void;
  /** Moves the conversation by lines, or to its end. False if the terminal itself scrolls. */
  scroll(lines: number | "end"): boolean;
  /** Restores the terminal, stops the process, and draws again once it continues. Undefined if the system cannot. */
  suspend(): Promise<void> | undefined;
  /** Leaves the cursor below the last line, or removes all lines that can still be removed, and restores the terminal. */
  close(options?: { readonly isErased?: boolean }): void;
}
