import { once } from "node:events";
import { server } from "./server.ts";

// In your project the types come from @types/bun.
declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    /** Seconds. Streams are silent for 15. */
    readonly idleTimeout: number;
    fetch(request: Request): Promise<Response>;
  }): { readonly url: URL; stop(isAtOnce?: boolean): Promise<void> };
};

const http = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 30, fetch: server.fetch });
console.log(http.url.origin);

await once(process, "SIGTERM");
await server.close();
await http.stop();
