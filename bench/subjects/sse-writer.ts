/** The least that sends deltas as server-sent events: one write each, on Node's HTTP. For B7 only. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inReads } from "../paced-deltas.ts";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "sse-writer",
  goals: {},
  async serveDeltas(deltas) {
    const http = createServer((_, response) => {
      const write = async (): Promise<void> => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        let n = 0;
        for await (const delta of inReads(deltas)) {
          n += 1;
          const data = JSON.stringify({ type: "text_delta", delta });
          response.write(`id: 5.${n}\ndata: ${data}\n\n`);
        }
        response.end();
      };
      write().catch((thrown: unknown) => response.destroy(thrown as Error));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/`, init: {} };
  },
};
