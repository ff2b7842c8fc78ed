import { once } from "node:events";
import { toNodeHandler } from "@capstan/server/node";
import fastify from "fastify";
import { server } from "./server.ts";

const app = fastify({ bodyLimit: 10_000_000 }); // as much as the server takes
const handler = toNodeHandler(server);
app.get("/", () => "the app");
app.all("/agents/*", (request, reply) => {
  reply.hijack(); // the handler answers
  handler(request.raw, reply.raw, request.body); // Fastify has read the body
});
app.addHook("preClose", () => server.close());

console.log(await app.listen({ port: 0, host: "127.0.0.1" }));

await once(process, "SIGTERM");
await app.close();
