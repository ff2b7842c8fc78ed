/** Models of the AI SDK at the server of B6. Loaded when they are asked for, so that they cost the other benches nothing. */

export async function openaiModel(baseURL) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ apiKey: "key", baseURL: `${baseURL}/v1` })("gpt-5");
}

export async function anthropicModel(baseURL) {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  return createAnthropic({ apiKey: "key", baseURL: `${baseURL}/v1` })("claude-sonnet-5");
}
