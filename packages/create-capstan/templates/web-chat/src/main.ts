import { once } from "node:events";
import { serve } from "./serve.ts";

const server = await serve({ database: "sessions.db", port: Number(process.env["PORT"] ?? 4711) });
console.log(`Open ${server.url}`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await server.close();
