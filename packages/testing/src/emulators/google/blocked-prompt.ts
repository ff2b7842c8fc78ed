/** A word of a script that only the Gemini API has a form for. */
import { parts } from "../../script/script.ts";
import type { Fragment } from "../../script/script-item.ts";

/** The prompt is not answered at all: no candidate, but the reason. */
export function blockedPrompt(blockReason = "PROHIBITED_CONTENT"): Fragment {
  return parts(
    [
      { type: "native", data: { promptFeedback: { blockReason } } },
      { type: "finish", reason: "content-filter" },
    ],
    `blockedPrompt(${blockReason})`,
  );
}
