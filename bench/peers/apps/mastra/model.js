/** Mastra takes models of the AI SDK. */
export { model } from "../ai-sdk/model.js";
