/** Lines between the conversation and the prompt: the turn in progress, and queued messages. */
import type { QueuedItem } from "@capstan/log";
import type { Typesetter } from "../screen/contracts.ts";
import { safeText } from "./safe-text.ts";
import type { Theme } from "./theme.ts";

export interface Activity {
  /** Undefined if no turn is in progress. */
  readonly workingMs: number | undefined;
  readonly queued: readonly QueuedItem[];
}

const maxQueued = 5;

export function renderActivity(
  { workingMs, queued }: Activity,
  width: number,
  { theme, typesetter }: { readonly theme: Theme; readonly typesetter: Typesetter },
): readonly string[] {
  const seconds = workingMs === undefined ? 0 : Math.floor(workingMs / 1_000);
  const working =
    workingMs === undefined
      ? []
      : [theme.accent(typesetter.cut(`● working, ${seconds} s · esc interrupts`, width))];
  const items = queued.slice(0, maxQueued).map(({ queue, isHeld, message }) => {
    const kind = isHeld ? "held" : queue === "steering" ? "steering" : "follow-up";
    const content = message.role === "user" ? message.content : "";
    const text = typeof content === "string" ? content : "(with files)";
    const line = `${kind}: ${safeText(text).replaceAll("\n", " ")}`;
    return theme.dim(typesetter.cut(line, width));
  });
  const left = queued.length - items.length;
  const hint = queued.length > 0 ? [theme.dim(typesetter.cut("alt+up edits them", width))] : [];
  return [...working, ...items, ...(left > 0 ? [theme.dim(`… ${left} more`)] : []), ...hint];
}
