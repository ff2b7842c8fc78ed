/** The page of examples/web-chat in a real browser. It takes the built files of the client: run `npm run build` after a change. */
import { serveWebChat } from "../../examples/web-chat/serve.ts";
import { describePage } from "./chat-page.ts";
import { testReplies } from "./reply-tests.ts";
import { testUse } from "./use-tests.ts";

describePage({ name: "web-chat", pageTools: [], serve: serveWebChat }, testReplies, testUse);
