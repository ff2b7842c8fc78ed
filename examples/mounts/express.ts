import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@capstan/server/node";
import express from "express";
import { server } from "./server.ts";

const app = express();
app.use(express.json()); // for the app's own routes; the server takes what it has parsed
app.get("/", (_, response) => void response.send("the app"));
app.use("/agents", toNodeHandler(server));

const http = app.listen(0, "127.0.0.1");
await once(http, "listening");
console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);

await once(process, "SIGTERM");
http.close();
await server.close(); // ends streams and hands turns over, so that the connections can end
http.closeIdleConnections();
