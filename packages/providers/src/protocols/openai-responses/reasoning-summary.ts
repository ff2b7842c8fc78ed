/** The reasoning summary, which OpenAI provides to verified organizations only. */
import type { DispensableField } from "../../wire/protocol.ts";
import { isObject, textAt } from "../../wire/wire-json.ts";

const param = "reasoning.summary";

/** "Your organization must be verified to generate reasoning summaries." */
const unverified = /must be verified.*reasoning summar/is;

export const reasoningSummary: DispensableField = {
  name: param,
  isRefusedBy: ({ status, body, text }) => {
    if (status !== 400 && status !== 403) return false;
    const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
    return textAt(error, "param") === param || unverified.test(text);
  },
  without: (body) => {
    if (!isObject(body) || !isObject(body["reasoning"])) return body;
    const { summary: _, ...reasoning } = body["reasoning"];
    return { ...body, reasoning };
  },
};
