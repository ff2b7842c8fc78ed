/** Interfaces between the conversation and the library that draws it. */

/** The user's terminal: its size, its keys, its screen. */
export interface TerminalDevice {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Turns off echo and line editing. Input is kept until `listen`. */
  open(): void;
  listen(listener: DeviceListener): void;
  /** Restores the terminal. May be called at any time, and more than once. */
  close(): void;
}

export interface DeviceListener {
  readonly input: (text: string) => void;
  readonly resize: () => void;
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
}

/** Lines of the conversation, from the first one that is still visible. */
export interface Body {
  lines(width: number): readonly string[];
  /** Called once the first lines have left the window: they are never drawn again. */
  forget(count: number): void;
  /** Called before a frame with a new size: at most `count` lines remain, the last ones. */
  showLast(width: number, count: number): void;
}

interface Completion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** Content of the screen and reactions to the user, as the screen asks for them. */
export interface ScreenParts {
  readonly body: Body;
  /** Lines between the conversation and the prompt. */
  readonly above: (width: number) => readonly string[];
  /** Lines below the prompt. */
  readonly below: (width: number) => readonly string[];
  /** True if the key was used: the editor does not get it. */
  readonly onKey: (key: KeyName) => boolean;
  readonly onSubmit: (text: string) => void;
  /** Completions for the text before the cursor. `start`: index at which the completed word begins. */
  readonly complete: (
    before: string,
    signal: AbortSignal,
  ) => Promise<{ readonly start: number; readonly items: readonly Completion[] } | undefined>;
}

export interface Screen {
  /** Draws soon, at most 30 times a second. */
  redraw(): void;
  /** Erases the window and draws it again, for content that has changed as a whole. */
  restart(): void;
  /** Text of the prompt editor, with folded pastes expanded. */
  prompt(): string;
  setPrompt(text: string): void;
  /** Adds a prompt that the up key brings back. */
  remember(prompt: string): void;
  /** Shows the panel instead of the editor; undefined shows the editor again. */
  show(panel: Panel | undefined): void;
  /** Copies the text to the clipboard, if the terminal allows it. */
  copy(text: string): void;
  /** Title of the terminal's window. */
  setTitle(title: string): void;
  /** Rings the bell, and shows a notification if the terminal can. */
  notify(text: string): void;
  /** Leaves the cursor below the last line and restores the terminal. */
  close(): void;
}
