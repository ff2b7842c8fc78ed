/** What nobody gets below who sends each delta at once: its text, written to the socket itself. No chunks, and no session. */
import { listen } from "./listen.ts";
import type { LoadSubject } from "./subject.ts";

export const subject: LoadSubject = {
  serve: (deltas) =>
    listen(async (request, response) => {
      request.resume();
      // The connection ends where the stream does.
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      const { socket } = response;
      let n = 0;
      for await (const delta of deltas()) {
        n += 1;
        const data = JSON.stringify({ type: "text_delta", delta });
        socket?.write(`id: 5.${n}\ndata: ${data}\n\n`, "latin1");
      }
      response.end();
    }),
};
