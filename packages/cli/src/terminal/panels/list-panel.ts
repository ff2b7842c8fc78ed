/** A list to choose from, filtered by what the user types. */
import { background } from "@capstan/kernel";
import { reasonOf } from "../../errors/command-error.ts";
import type { KeyName, Panel } from "../screen/contracts.ts";
import type { Look } from "../render/look.ts";
import { safeText } from "../render/safe-text.ts";

export interface ListItem<Value> {
  readonly value: Value;
  readonly label: string;
  readonly description?: string;
  /** Loads lines about the selected item, which are shown below the list. */
  readonly preview?: () => Promise<string>;
}

export interface ListInit<Value> {
  readonly title: string;
  readonly items: readonly ListItem<Value>[];
  /** Undefined: the user has left the list. */
  readonly onChoice: (value: Value | undefined) => void;
  /** Called once a preview was loaded. */
  readonly onChange: () => void;
}

const maxShown = 10;
const maxPreviewLines = 4;

export class ListPanel<Value> implements Panel {
  readonly #init: ListInit<Value>;
  readonly #look: Look;
  #filter = "";
  #selected = 0;
  /** Previews that were loaded, or are being loaded: undefined. */
  readonly #previews = new Map<ListItem<Value>, string | undefined>();

  constructor(init: ListInit<Value>, look: Look) {
    this.#init = init;
    this.#look = look;
  }

  lines(width: number, rows: number): readonly string[] {
    const { theme, typesetter } = this.#look;
    const found = this.#found();
    const count = Math.max(1, Math.min(maxShown, rows - 10));
    const start = Math.max(0, Math.min(this.#selected - count + 1, found.length - count));
    const shown = found.slice(start, start + count).map((item, index) => {
      const isSelected = start + index === this.#selected;
      const label = `${isSelected ? "❯" : " "} ${oneLine(item.label)}`;
      const rest = item.description === undefined ? "" : `  ${oneLine(item.description)}`;
      return isSelected
        ? theme.accent(typesetter.cut(`${label}${rest}`, width))
        : typesetter.cut(`${label}${theme.dim(rest)}`, width);
    });
    const preview = this.#previewOf(found[this.#selected]);
    const head = `${theme.strong(this.#init.title)} ${theme.dim(`(${found.length})`)} ${this.#filter}`;
    return [
      theme.dim("─".repeat(width)),
      typesetter.cut(head, width),
      ...(shown.length === 0 ? [theme.dim("  nothing found")] : shown),
      ...(preview === undefined
        ? []
        : typesetter
            .wrap(safeText(preview), Math.max(1, width - 2))
            .slice(0, maxPreviewLines)
            .map((line) => theme.dim(`  ${line}`))),
      theme.dim(typesetter.cut("type to filter · enter chooses · esc leaves", width)),
    ];
  }

  onKey(key: KeyName, text: string): void {
    const found = this.#found();
    if (key === "up") this.#move(-1, found.length);
    else if (key === "down") this.#move(1, found.length);
    else if (key === "pageUp") this.#move(-maxShown, found.length);
    else if (key === "pageDown") this.#move(maxShown, found.length);
    else if (key === "escape") this.#init.onChoice(undefined);
    else if (key === "enter") {
      const item = found[this.#selected];
      if (item !== undefined) this.#init.onChoice(item.value);
    } else if (key === "backspace") this.#setFilter(this.#filter.slice(0, -1));
    else if (text !== "") this.#setFilter(this.#filter + text);
  }

  plainLines(): readonly string[] {
    const found = this.#found();
    const rows = found.slice(0, maxShown).map(({ label, description = "" }, index) => {
      const rest = description === "" ? "" : `, ${oneLine(description)}`;
      return `${index + 1}: ${oneLine(label)}${rest}`;
    });
    return [
      `${this.#init.title}: ${found.length} found.`,
      ...rows,
      "Type a number to choose, words to filter, or nothing to leave, and press enter.",
    ];
  }

  onLine(text: string): void {
    const item = /^\d+$/.test(text) ? this.#found()[Number(text) - 1] : undefined;
    if (text === "") this.#init.onChoice(undefined);
    else if (item !== undefined) this.#init.onChoice(item.value);
    else this.#setFilter(text);
  }

  #move(by: number, count: number): void {
    this.#selected = Math.max(0, Math.min(count - 1, this.#selected + by));
  }

  #setFilter(filter: string): void {
    this.#filter = filter;
    this.#selected = 0;
  }

  #previewOf(item: ListItem<Value> | undefined): string | undefined {
    if (item?.preview === undefined || this.#previews.has(item)) {
      return item === undefined ? undefined : this.#previews.get(item);
    }
    this.#previews.set(item, undefined);
    const loaded = item.preview().then((text) => {
      this.#previews.set(item, text);
      this.#init.onChange();
    });
    background(loaded, (thrown) => this.#previews.set(item, reasonOf(thrown)));
    return undefined;
  }

  #found(): readonly ListItem<Value>[] {
    const words = this.#filter.toLowerCase().split(/\s+/);
    return this.#init.items.filter(({ label, description = "" }) => {
      const text = `${label} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}

/** Columns of a row stay. */
function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s*\n\s*/g, " ");
}
