/** A model of OpenAI Agents that follows the script. */
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { steps } from "../refund-script.js";

export const model = new ScriptedModel(
  steps.map(({ id, tool, input, text }) => [
    text === undefined ? functionCall(tool, input, { callId: id }) : assistantMessage(text),
  ]),
);
