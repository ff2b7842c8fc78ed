/** A word of a script that only the Responses API has a form for. */
import { parts } from "../../script/script.ts";
import type { Fragment } from "../../script/script-item.ts";

/** What a model says on the way to its answer. Models without phases say it as any text. */
export function commentary(text: string | readonly string[]): Fragment {
  const deltas = typeof text === "string" ? [text] : text;
  return parts(
    [
      { type: "text_start", providerData: { phase: "commentary" } },
      ...deltas.map((delta) => ({ type: "text_delta", delta }) as const),
      { type: "text_end" },
    ],
    "commentary(…)",
  );
}
