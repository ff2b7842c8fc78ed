/** The page of examples/use-chat in a real browser. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { localTime } from "../../examples/chat-demo/agent.ts";
import { testBackground } from "./background-tests.ts";
import type { Example } from "./chat-page.ts";
import { describePage } from "./chat-page.ts";
import { testReplies } from "./reply-tests.ts";
import { testUse } from "./use-tests.ts";

const folder = join(import.meta.dirname, "..", "..", "examples", "use-chat");
const isInstalled = existsSync(join(folder, "node_modules", "vite"));

const useChat: Example = {
  name: "use-chat",
  pageTools: [localTime],
  missing: isInstalled ? undefined : "not installed: run npm ci --prefix examples/use-chat",
  async serve(options) {
    // Not imported by its name: its packages are there only after `npm ci` in its folder.
    const path = join(folder, "serve.ts");
    const { serveUseChat } = (await import(path)) as { serveUseChat: Example["serve"] };
    return serveUseChat(options);
  },
};

describePage(useChat, testReplies, testUse, testBackground);
