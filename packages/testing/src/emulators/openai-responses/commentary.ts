/** A script item that only the Responses API can express. */
import { parts } from "../../script/script.ts";
import type { Fragment } from "../../script/script-item.ts";

/**
 * Scripts a text of OpenAI's commentary phase: text before the final answer. Models without phases send it as
 * ordinary text.
 */
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
