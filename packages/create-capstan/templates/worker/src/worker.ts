import { createHost } from "@capstan/core";
import { postgres } from "@capstan/stores/postgres";
import { createAssistant } from "./agent.ts";

/** Works on sessions that are due until the platform sends SIGTERM. Start as many of these processes as you like. */
const store = postgres(process.env["DATABASE_URL"]);
const host = createHost({ agents: [createAssistant()], repository: store });
console.log("Waiting for work.");
await host.run({ drainMs: 20_000 });
await store.close();
