import { proxyProvider } from "@capstan/client/proxy";
import { createAgent, createHost, createSession, memoryRepository } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { finish, reply, say, scriptedProvider } from "@capstan/testing";

// A server with the key of a vendor. Clients may ask one of its models, and spend so much in a day.
const usage = { inputTokens: 900, outputTokens: 200 };
const provider = scriptedProvider([
  reply(say("Hello from the server."), finish("stop", { usage })),
]);
const price = { inputPerMillion: 3, outputPerMillion: 15 };
const token = crypto.randomUUID();
const server = createServer({
  host: createHost({ agents: [], repository: memoryRepository() }),
  authenticate: bearerTokens({ ann: token }),
  proxy: {
    models: { fast: { provider, id: "vendor-model", price } },
    budget: { windowMs: 86_400_000, maxTokens: 1_000 },
  },
});
const { url, close } = await serveNode(server, { port: 0 });

// An agent in a page or another process, without a key: its model is the server's.
const model = proxyProvider({ url, token, model: "fast" });
const agent = createAgent({ name: "helper", model, retry: { maxAttempts: 1 } });
const session = createSession({ agent, repository: memoryRepository() });
const { text } = await session.send("Hello").response;
console.log(text); // → Hello from the server.

const { error } = await session.send("Once more").response;
console.log(error?.code, error?.message); // → rate_limit Your budget for models is spent: it is counted over 86400 s
await close();
