import { demoAgent } from "../chat-demo/agent.ts";
import { portOr, runPage } from "../chat-demo/run-page.ts";
import { serveWebChat } from "./serve.ts";

await runPage(await serveWebChat({ agent: demoAgent(), port: portOr(3000) }));
