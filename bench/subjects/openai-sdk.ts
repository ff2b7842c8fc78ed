/** The vendor's own SDK, from the bytes of a reply to its final response. */
import OpenAI from "openai";
import type { Subject, WireOptions } from "../subject.ts";

export const subject: Subject = { name: "openai-sdk", goals: {}, wire: { openai: ask } };

async function ask({ baseURL, seen }: WireOptions): Promise<string> {
  const client = new OpenAI({ apiKey: "key", baseURL: `${baseURL}/v1` });
  const stream = client.responses.stream({ model: "gpt-5", input: "go" });
  stream.on("response.output_text.delta", ({ delta }) => seen.delta(delta));
  return (await stream.finalResponse()).output_text;
}
