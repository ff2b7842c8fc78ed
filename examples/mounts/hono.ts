import { Hono } from "hono";
import { server } from "./server.ts";

export const app = new Hono();
app.get("/", (context) => context.text("the app"));
app.mount("/agents", server.fetch); // or app.all("/agents/*", (context) => server.fetch(context.req.raw))
