/** A script item that only the Gemini API can express. */
import { parts } from "../../script/script.ts";
import type { Fragment } from "../../script/script-item.ts";

/** Scripts a blocked prompt of Google: it gets no candidate, only a block reason. */
export function blockedPrompt(blockReason = "PROHIBITED_CONTENT"): Fragment {
  return parts(
    [
      { type: "native", data: { promptFeedback: { blockReason } } },
      { type: "finish", reason: "content-filter" },
    ],
    `blockedPrompt(${blockReason})`,
  );
}
