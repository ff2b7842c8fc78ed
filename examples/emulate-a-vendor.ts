import { callTool, reply, say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";

const claude = await anthropicEmulator([
  reply(say("Let me see."), callTool("weather", { city: "Rome" }, { id: "toolu_1" })),
  say("Warm."),
]);

async function ask(...messages: readonly object[]): Promise<Record<string, unknown>> {
  const response = await fetch(`${claude.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "any", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 100, messages }),
  });
  return response.json() as Promise<Record<string, unknown>>;
}

const asked = { role: "user", content: "How is Rome?" };
const { content, stop_reason } = await ask(asked);
console.log(stop_reason); // → tool_use

await ask(asked, { role: "assistant", content }, { role: "user", content: "And?" });
console.log(claude.refusals[0]?.message.slice(0, 51)); // → messages.1: `tool_use` ids were found without `tool

const result = { type: "tool_result", tool_use_id: "toolu_1", content: "20 degrees" };
await ask(asked, { role: "assistant", content }, { role: "user", content: [result] });
console.log(claude.requests.length); // → 2
claude.assertComplete();
await claude.close();
