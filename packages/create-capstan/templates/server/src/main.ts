import { once } from "node:events";
import { startServer } from "./server.ts";

const token = process.env["AGENT_TOKEN"];
if (token === undefined) {
  console.error("Set AGENT_TOKEN to a secret of at least 16 characters, which clients send.");
  process.exit(1);
}
const server = await startServer({
  database: "sessions.db",
  tokens: { me: token },
  port: Number(process.env["PORT"] ?? 4711),
});
console.log(`Listening on ${server.url}`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await server.close();
