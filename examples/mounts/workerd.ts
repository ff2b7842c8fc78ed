/** A worker of workerd and Cloudflare. Requests share timers and streams only within a Durable Object, so the host runs in one. */
import { createAgent, createHost } from "@capstan/core";
import { offlineProvider } from "@capstan/providers/offline";
import type { Server } from "@capstan/server";
import { createServer } from "@capstan/server";
import type { StoreBindings } from "@capstan/stores/durable-object";
import { durableObjectStore } from "@capstan/stores/durable-object";

export { IndexObject, SessionObject } from "@capstan/stores/durable-object";

// In your project the types come from @cloudflare/workers-types.
interface Env extends StoreBindings {
  readonly AGENTS: {
    getByName(name: string): { fetch(request: Request): Promise<Response> };
  };
}

const agent = createAgent({ name: "helper", model: offlineProvider() });

/** Users of the app, by the cookie that its own login has set. */
const users = new Map([["sid=5e55-10n", "ann"]]);

export class Agents {
  readonly #server: Server;

  // Not at the top of the module: workers may neither set timers nor draw random numbers there.
  constructor(_: unknown, env: Env) {
    this.#server = createServer({
      host: createHost({ agents: [agent], repository: durableObjectStore(env) }),
      basePath: "/agents",
      allowedHosts: ["localhost", "127.0.0.1"], // and the public name
      authenticate({ headers }) {
        const principal = users.get(headers.get("cookie") ?? "");
        return principal === undefined ? undefined : { principal };
      },
    });
  }

  fetch(request: Request): Promise<Response> {
    return this.#server.fetch(request);
  }
}

// oxlint-disable-next-line import/no-default-export -- workerd calls the default export
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    return env.AGENTS.getByName("all").fetch(request);
  },
};
