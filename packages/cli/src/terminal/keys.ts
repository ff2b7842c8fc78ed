/** The single table of keys: the terminal acts by it, and `/help` shows it. */
import type { App } from "./app.ts";
import type { KeyName } from "./screen/contracts.ts";

interface KeyRow {
  readonly key: KeyName;
  readonly help: string;
  /** Returns true if the key was used. Absent: the prompt editor handles it. */
  readonly run?: (app: App) => boolean;
}

export const keys: readonly KeyRow[] = [
  { key: "enter", help: "send the prompt; while the agent works, steer it" },
  {
    key: "alt+enter",
    help: "queue the prompt for after the turn",
    run: (app) => app.submitLater(),
  },
  { key: "shift+enter", help: "new line (also ctrl+j, or \\ before enter)" },
  { key: "escape", help: "interrupt the turn", run: (app) => app.interrupt() },
  { key: "ctrl+c", help: "clear the prompt; twice: leave", run: (app) => app.clearOrLeave() },
  { key: "ctrl+d", help: "leave, if the prompt is empty", run: (app) => app.leaveIfEmpty() },
  { key: "up", help: "earlier prompts" },
  { key: "ctrl+r", help: "search earlier prompts", run: (app) => app.searchPrompts() },
  { key: "tab", help: "complete a /command or an @file" },
  { key: "alt+up", help: "take queued messages back to edit them", run: (app) => app.takeBack() },
  { key: "ctrl+t", help: "show or fold thinking", run: (app) => app.toggleThinking() },
  { key: "ctrl+v", help: "add the image of the clipboard", run: (app) => app.pasteImage() },
  { key: "ctrl+z", help: "suspend; fg returns", run: (app) => app.suspend() },
  { key: "pageUp", help: "scroll up (with --fullscreen)", run: (app) => app.scroll(-1) },
  { key: "pageDown", help: "scroll down (with --fullscreen)", run: (app) => app.scroll(1) },
  {
    key: "ctrl+end",
    help: "scroll to the end (with --fullscreen)",
    run: (app) => app.scroll("end"),
  },
  { key: "ctrl+l", help: "draw the screen again", run: (app) => app.redrawAll() },
];

export function runKey(key: KeyName, app: App): boolean {
  return keys.find((row) => row.key === key)?.run?.(app) ?? false;
}
