/** The vendor's own SDK, from the bytes of a reply to its final message. */
import Anthropic from "@anthropic-ai/sdk";
import type { Subject, WireOptions } from "../subject.ts";

export const subject: Subject = { name: "anthropic-sdk", goals: {}, wire: { anthropic: ask } };

async function ask({ baseURL, seen }: WireOptions): Promise<string> {
  const client = new Anthropic({ apiKey: "key", baseURL });
  const stream = client.messages.stream({
    model: "claude-sonnet-5",
    max_tokens: 10_000,
    messages: [{ role: "user", content: "go" }],
  });
  stream.on("text", (delta) => seen.delta(delta));
  const { content } = await stream.finalMessage();
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
