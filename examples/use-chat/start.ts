import { demoAgent, localTime } from "../chat-demo/agent.ts";
import { portOr, runPage } from "../chat-demo/run-page.ts";
import { serveUseChat } from "./serve.ts";

await runPage(await serveUseChat({ agent: demoAgent([localTime]), port: portOr(3001) }));
