/** The least: one write for each delta, on Node's HTTP. */
import { listen } from "./listen.ts";
import type { LoadSubject } from "./subject.ts";

export const subject: LoadSubject = {
  serve: (deltas) =>
    listen(async (request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      let n = 0;
      for await (const delta of deltas()) {
        n += 1;
        response.write(`id: 5.${n}\ndata: ${JSON.stringify({ type: "text_delta", delta })}\n\n`);
      }
      response.end();
    }),
};
