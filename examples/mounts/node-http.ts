import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@capstan/server/node";
import { server } from "./server.ts";

const handler = toNodeHandler(server);
const http = createServer((request, response) => {
  if (request.url?.startsWith("/agents/") === true) handler(request, response);
  else response.end("the app");
}).listen(0, "127.0.0.1");
await once(http, "listening");
console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);

await once(process, "SIGTERM");
http.close();
await server.close();
http.closeIdleConnections();
