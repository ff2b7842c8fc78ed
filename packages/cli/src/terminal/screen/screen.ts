/** Draws the conversation and reads keys. The only file that knows the library. */
import {
  decodeKittyPrintable,
  Editor,
  isKeyRelease,
  Markdown,
  parseKey,
  setKittyProtocolActive,
  StdinBuffer,
  truncateToWidth,
  TuiMainScreen,
  visibleWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import type { AutocompleteProvider, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import type { Clock } from "@capstan/core";
import type {
  KeyName,
  Panel,
  Screen,
  ScreenKind,
  ScreenParts,
  TerminalDevice,
  Typesetter,
} from "./contracts.ts";
import type { KeyInput } from "./device-terminal.ts";
import { DeviceTerminal } from "./device-terminal.ts";
import { growAbove } from "./grow-above.ts";
import { Pacer } from "./pacer.ts";
import { Root } from "./root.ts";
import type { Highlight } from "../render/highlight.ts";
import type { Theme } from "../render/theme.ts";

export function createTypesetter(theme: Theme, highlight: Highlight): Typesetter {
  const markdownTheme = toMarkdownTheme(theme, highlight);
  return {
    widthOf: visibleWidth,
    wrap: (text, width) => wrapTextWithAnsi(text, width),
    cut: (text, width) => cut(text, width),
    markdown: (text, width) => new Markdown(text, 0, 0, markdownTheme).render(width),
  };
}

/** Most lines have only letters of one column, for which the library need not look at each. */
function cut(text: string, width: number): string {
  if (!/^[ -~]*$/.test(text)) return truncateToWidth(text, width, "…");
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

interface ScreenOptions {
  readonly kind: Exclude<ScreenKind, "lines">;
  readonly theme: () => Theme;
  readonly clock: Clock;
  /** True if the terminal keeps in its scrollback what leaves a region of the window. */
  readonly usesRegions: boolean;
}

/** Takes over the terminal, and draws at once. */
export function openScreen(
  device: TerminalDevice,
  parts: ScreenParts,
  { kind, theme, clock, usesRegions }: ScreenOptions,
): Screen {
  let panel: Panel | undefined;
  const isFull = kind === "fullscreen";
  const terminal = new DeviceTerminal(device, keyInput, {
    onPaste: parts.onPaste,
    isStarting: parts.isStarting,
    onBackground: parts.onBackground,
    // At once: the library would wait for a timer, and other work with it.
    onKeys: () => tui.renderNow(),
    onContinued: () => restart(),
  });
  terminal.isWindowOwn = isFull;
  const typesetter = { widthOf: visibleWidth, cut: truncateToWidth };
  const root = new Root(device, parts, {
    isFull,
    panel: () => panel,
    typesetter,
    paintMore: (text) => theme().warning(text),
  });
  const tui = new WindowScreen(terminal, {
    root,
    usesRegions: usesRegions && !isFull,
    onScrolled: (count) => {
      terminal.isWindowOwn = true;
      parts.body.forget(count);
    },
  });
  const restart = (): void => {
    root.isRestarting = true;
    tui.requestRender(true);
  };
  const editor = new Editor(tui, {
    borderColor: (text) => theme().dim(text),
    selectList: toListTheme(theme),
  });
  root.editor = editor;
  editor.setAutocompleteProvider(toProvider(parts.complete));
  editor.onSubmit = (text) => parts.onSubmit(text);
  editor.onChange = (text) => {
    if (text === "") parts.onCleared();
  };
  const pacer = new Pacer(() => tui.renderNow(), clock);
  tui.setFocus(editor);
  const scroll = (lines: number | "end"): boolean => {
    if (!isFull) return false;
    if (lines === "end") parts.scrolled.scrollToEnd();
    else parts.scrolled.scrollBy(lines);
    tui.requestRender();
    return true;
  };
  tui.addInputListener((data) => {
    const wheel = wheelOf(data);
    if (wheel !== undefined) scroll(wheel);
    const key = keyInput.nameOf(data);
    if (key === undefined) return { consume: true };
    // The list of completions has its own keys.
    const isEditors = panel === undefined && editor.isShowingAutocomplete() && listKeys.has(key);
    if (isEditors) return undefined;
    const isUsed = (panel === undefined || !panelKeys.has(key)) && parts.onKey(key);
    if (!isUsed && panel === undefined) return undefined;
    if (!isUsed) panel?.onKey(key, printableOf(data));
    tui.requestRender();
    return { consume: true };
  });
  tui.start();
  tui.renderNow();
  const suspend = async (stop: () => Promise<void>): Promise<void> => {
    tui.stop();
    await stop();
    device.open(kind);
    // The shell has written to the window since.
    terminal.isWindowOwn = isFull;
    tui.start();
    restart();
  };
  return {
    kind,
    redraw: ({ isAtOnce = false } = {}) => (isAtOnce ? tui.renderNow() : pacer.request()),
    restart,
    prompt: () => editor.getExpandedText(),
    setPrompt: (text) => {
      editor.setText(text);
      tui.requestRender();
    },
    insert: (text) => {
      editor.insertTextAtCursor(text);
      tui.requestRender();
    },
    remember: (prompt) => editor.addToHistory(prompt),
    show: (next) => {
      panel = next;
      tui.setFocus(next === undefined ? editor : null);
      tui.requestRender();
    },
    copy: (text) => {
      device.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    },
    // The line above the prompt shows it.
    setWorking: () => {},
    setTitle: (title) => terminal.setTitle(title),
    notify: (text) => device.write(`\u001b]9;${text}\u0007\u0007`),
    scroll,
    suspend: () => (device.suspend === undefined ? undefined : suspend(device.suspend)),
    close: ({ isErased = false } = {}) => {
      pacer.stop();
      if (isErased) {
        root.isErased = true;
        tui.renderNow();
      }
      tui.stop();
      device.close();
    },
  };
}

/** A lone escape is a key if nothing follows within this time. Over a slow line, the rest of a sequence takes longer. */
const escapeMs = 30;

/** The rest of a sequence may come this late: it must not become text. */
const sequenceMs = 500;

export const keyInput: KeyInput = {
  createSplitter: (onKey, onPaste) => {
    const buffer = new StdinBuffer({ escapeTimeout: escapeMs, timeout: sequenceMs });
    buffer.on("data", onKey);
    buffer.on("paste", onPaste);
    return buffer;
  },
  setKitty: setKittyProtocolActive,
  nameOf: (data) =>
    isKeyRelease(data) || wheelOf(data) !== undefined
      ? undefined
      : data === "\n"
        ? "ctrl+j"
        : (parseKey(data) ?? ""),
  textOf: printableOf,
  widthOf: visibleWidth,
};

/** Lines that one step of the wheel scrolls. */
const wheelLines = 3;

/** Undefined for anything but a report of the mouse. */
function wheelOf(data: string): number | undefined {
  // oxlint-disable-next-line no-control-regex -- Reports begin with an escape.
  const [, button] = /^\u001b\[<(\d+);\d+;\d+[Mm]$/.exec(data) ?? [];
  if (button === undefined) return undefined;
  return button === "64" ? -wheelLines : button === "65" ? wheelLines : 0;
}

/** Keys that scroll a panel instead of the conversation. */
const panelKeys: ReadonlySet<KeyName> = new Set(["pageUp", "pageDown"]);
const listKeys: ReadonlySet<KeyName> = new Set(["escape", "up", "down", "tab", "enter"]);

function printableOf(data: string): string {
  const decoded = decodeKittyPrintable(data) ?? data;
  return /^\P{Cc}+$/u.test(decoded) ? decoded : "";
}

interface WindowOptions {
  readonly root: Root;
  /** True if the terminal keeps in its scrollback what leaves a region of the window. */
  readonly usesRegions: boolean;
  readonly onScrolled: (count: number) => void;
}

/** The library compares all lines that it has ever drawn. This one forgets those that have left the window. */
class WindowScreen extends TuiMainScreen {
  readonly #options: WindowOptions;
  #belowCount = 0;

  constructor(terminal: DeviceTerminal, options: WindowOptions) {
    super(terminal, true);
    this.#options = options;
    this.addChild(options.root);
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const lastBelowCount = this.#belowCount;
    if (this.#options.usesRegions) this.#grow(lastBelowCount);
    super.doRender();
    this.#belowCount = this.#options.root.belowCount;
    const state = this.captureRenderState();
    const count = state.previousViewportTop;
    if (count <= 0) return;
    this.restoreRenderState({
      ...state,
      previousLines: state.previousLines.slice(count),
      cursorRow: state.cursorRow - count,
      hardwareCursorRow: state.hardwareCursorRow - count,
      maxLinesRendered: state.maxLinesRendered - count,
      previousViewportTop: 0,
    });
    this.#options.onScrolled(count);
  }

  /** Only colours and links have to be ended. */
  protected override applyLineResets(lines: string[]): string[] {
    return super
      .applyLineResets(lines)
      .map((line) =>
        line.includes("\u001b]8;;h") ? line : withoutReset(line, line.lastIndexOf("\u001b[0m")),
      );
  }

  /** Moves the conversation up if lines were added to a full window; the library draws the other changes. */
  #grow(lastBelowCount: number): void {
    const { root, onScrolled } = this.#options;
    const { columns, rows } = this.terminal;
    const state = this.captureRenderState();
    const isSame = state.previousWidth === columns && state.previousHeight === rows;
    if (!isSame || state.previousLines.length !== rows || root.isRestarting) return;
    const lines = root.layOut(columns);
    root.hold(lines);
    const belowCount = root.belowCount;
    if (belowCount !== lastBelowCount) return;
    const after = this.applyLineResets([...lines]);
    const { previousLines: before, hardwareCursorRow: cursorRow } = state;
    const growth = growAbove({ before, after, belowCount, cursorRow });
    if (growth === undefined) return;
    this.terminal.write(growth.output);
    this.restoreRenderState({ ...state, previousLines: [...growth.lines] });
    root.hold(lines.slice(growth.count));
    onScrolled(growth.count);
  }
}

function withoutReset(line: string, end: number): string {
  const text = line.slice(0, end);
  return text.includes("\u001b") ? `${text}\u001b[0m` : text;
}

function toProvider(complete: ScreenParts["complete"]): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    getSuggestions: async (lines, cursorLine, cursorCol, { signal }) => {
      const before = [...lines.slice(0, cursorLine), (lines[cursorLine] ?? "").slice(0, cursorCol)];
      const text = before.join("\n");
      const found = await complete(text, signal);
      if (found === undefined || found.items.length === 0) return null;
      return { items: [...found.items], prefix: text.slice(found.start) };
    },
    applyCompletion: (lines, cursorLine, cursorCol, item, prefix) => {
      const line = lines[cursorLine] ?? "";
      const start = cursorCol - prefix.length;
      // The user has typed on since the list was made.
      if (line.slice(start, cursorCol) !== prefix) return { lines, cursorLine, cursorCol };
      const changed = `${line.slice(0, start)}${item.value}${line.slice(cursorCol)}`;
      return {
        lines: lines.map((one, index) => (index === cursorLine ? changed : one)),
        cursorLine,
        cursorCol: start + item.value.length,
      };
    },
  };
}

function toListTheme(theme: () => Theme): SelectListTheme {
  return {
    selectedPrefix: (text) => theme().accent(text),
    selectedText: (text) => theme().accent(text),
    description: (text) => theme().dim(text),
    scrollInfo: (text) => theme().dim(text),
    noMatch: (text) => theme().dim(text),
  };
}

function toMarkdownTheme(theme: Theme, highlight: Highlight): MarkdownTheme {
  return {
    heading: (text) => theme.heading(theme.accent(text)),
    link: theme.link,
    linkUrl: theme.dim,
    code: theme.code,
    codeBlock: (text) => text,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.strong,
    italic: theme.italic,
    strikethrough: theme.struck,
    underline: theme.underline,
    highlightCode: (code, language) => highlight(code, language).split("\n"),
  };
}
