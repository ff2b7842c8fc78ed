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
import type {
  AutocompleteProvider,
  Component,
  MarkdownTheme,
  SelectListTheme,
} from "@earendil-works/pi-tui";
import type { Clock } from "@capstan/core";
import type {
  KeyName,
  Panel,
  Screen,
  ScreenParts,
  TerminalDevice,
  Typesetter,
} from "./contracts.ts";
import type { KeyInput } from "./device-terminal.ts";
import { DeviceTerminal } from "./device-terminal.ts";
import { Pacer } from "./pacer.ts";
import type { Highlight } from "./render/highlight.ts";
import type { Theme } from "./render/theme.ts";

export function createTypesetter(theme: Theme, highlight: Highlight): Typesetter {
  const markdownTheme = toMarkdownTheme(theme, highlight);
  return {
    widthOf: visibleWidth,
    wrap: (text, width) => wrapTextWithAnsi(text, width),
    cut: (text, width) => truncateToWidth(text, width, "…"),
    markdown: (text, width) => new Markdown(text, 0, 0, markdownTheme).render(width),
  };
}

interface ScreenOptions {
  readonly theme: () => Theme;
  readonly clock: Clock;
}

/** Takes over the terminal, and draws at once. */
export function openScreen(
  device: TerminalDevice,
  parts: ScreenParts,
  { theme, clock }: ScreenOptions,
): Screen {
  let panel: Panel | undefined;
  const terminal = new DeviceTerminal(device, keyInput);
  const root = new Root(device, parts, () => panel);
  const tui = new MainScreen(terminal, (count) => {
    terminal.isWindowOwn = true;
    parts.body.forget(count);
  });
  const editor = new Editor(tui, {
    borderColor: (text) => theme().dim(text),
    selectList: toListTheme(theme),
  });
  root.editor = editor;
  editor.setAutocompleteProvider(toProvider(parts.complete));
  editor.onSubmit = (text) => parts.onSubmit(text);
  const pacer = new Pacer(() => tui.renderNow(), clock);
  tui.addChild(root);
  tui.setFocus(editor);
  tui.addInputListener((data) => {
    if (isKeyRelease(data)) return { consume: true };
    const key: KeyName = parseKey(data) ?? "";
    // The list of completions has its own keys.
    const isEditors = panel === undefined && editor.isShowingAutocomplete() && listKeys.has(key);
    if (isEditors) return undefined;
    const isUsed = parts.onKey(key);
    if (!isUsed && panel === undefined) return undefined;
    if (!isUsed) panel?.onKey(key, printableOf(data));
    tui.renderNow();
    return { consume: true };
  });
  tui.start();
  tui.renderNow();
  return {
    redraw: () => pacer.request(),
    restart: () => {
      root.isRestarting = true;
      tui.requestRender(true);
    },
    prompt: () => editor.getExpandedText(),
    setPrompt: (text) => {
      editor.setText(text);
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
    setTitle: (title) => terminal.setTitle(title),
    notify: (text) => device.write(`\u001b]9;${text}\u0007\u0007`),
    close: () => {
      pacer.stop();
      tui.stop();
      device.close();
    },
  };
}

/** A lone escape is a key if nothing follows within this time. Over a slow line, the rest of a sequence takes longer. */
const escapeMs = 30;

const keyInput: KeyInput = {
  createSplitter: (onKey, onPaste) => {
    const buffer = new StdinBuffer({ escapeTimeout: escapeMs });
    buffer.on("data", onKey);
    buffer.on("paste", onPaste);
    return buffer;
  },
  setKitty: setKittyProtocolActive,
};

const listKeys: ReadonlySet<KeyName> = new Set(["escape", "up", "down", "tab", "enter"]);

function printableOf(data: string): string {
  const decoded = decodeKittyPrintable(data) ?? data;
  return /^\P{Cc}+$/u.test(decoded) ? decoded : "";
}

/** Everything on the screen, from top to bottom. */
class Root implements Component {
  editor: Editor | undefined;
  isRestarting = false;
  readonly #device: TerminalDevice;
  readonly #parts: ScreenParts;
  readonly #panel: () => Panel | undefined;
  #size: { readonly columns: number; readonly rows: number } | undefined;

  constructor(device: TerminalDevice, parts: ScreenParts, panel: () => Panel | undefined) {
    this.#device = device;
    this.#parts = parts;
    this.#panel = panel;
  }

  render(width: number): string[] {
    const { columns, rows } = this.#device;
    const { body } = this.#parts;
    const below = this.#below(width, rows);
    const { columns: lastColumns = columns, rows: lastRows = rows } = this.#size ?? {};
    const isResized = lastColumns !== columns || lastRows !== rows;
    this.#size = { columns, rows };
    if (isResized || this.isRestarting) body.showLast(width, Math.max(0, rows - below.length));
    this.isRestarting = false;
    return [...body.lines(width), ...below].map((line) =>
      visibleWidth(line) > width ? truncateToWidth(line, width, "") : line,
    );
  }

  invalidate(): void {
    this.editor?.invalidate();
  }

  /** Everything below the conversation. One row is left for it, so that nothing of this ever scrolls away. */
  #below(width: number, rows: number): readonly string[] {
    const { above, below } = this.#parts;
    const panel = this.#panel();
    const input = panel?.lines(width, rows) ?? this.editor?.render(width) ?? [];
    const lines = ["", ...above(width), ...input, ...below(width)];
    return lines.slice(-Math.max(1, rows - 1));
  }
}

/** The library compares all lines that it has ever drawn. This one forgets those that have left the window. */
class MainScreen extends TuiMainScreen {
  readonly #onScrolled: (count: number) => void;

  constructor(terminal: DeviceTerminal, onScrolled: (count: number) => void) {
    super(terminal, true);
    this.#onScrolled = onScrolled;
  }

  protected override doRender(): void {
    super.doRender();
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
    this.#onScrolled(count);
  }
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
