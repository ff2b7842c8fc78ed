/** The server that the other files of this folder mount under `/agents`. */
import { createAgent, createHost, memoryRepository } from "@capstan/core";
import { offlineProvider } from "@capstan/providers/offline";
import { createServer } from "@capstan/server";

const agent = createAgent({ name: "helper", model: offlineProvider() });
const host = createHost({ agents: [agent], repository: memoryRepository() });

/** Users of the app, by the cookie that its own login has set. */
const users = new Map([["sid=5e55-10n", "ann"]]);

export const server = createServer({
  host,
  basePath: "/agents",
  allowedHosts: ["localhost", "127.0.0.1"], // and the public name
  authenticate({ headers }) {
    const principal = users.get(headers.get("cookie") ?? "");
    return principal === undefined ? undefined : { principal };
  },
});
