/** Serves the page with Vite, beside the agent. */
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { createServer } from "vite";
import type { PageOptions, ServedPage } from "../chat-demo/serve-page.ts";
import { servePage } from "../chat-demo/serve-page.ts";

export async function serveUseChat(options: PageOptions): Promise<ServedPage> {
  let closeVite: (() => Promise<void>) | undefined;
  const page = await servePage(options, async (http) => {
    const vite = await createServer({
      root: import.meta.dirname,
      configFile: false,
      plugins: [react()],
      logLevel: "warn",
      server: {
        middlewareMode: true,
        ws: { server: http },
        // The style sheet is in the folder that both pages share.
        fs: { allow: [join(import.meta.dirname, "..")] },
      },
    });
    closeVite = () => vite.close();
    return vite.middlewares;
  });
  return {
    url: page.url,
    async close() {
      await closeVite?.();
      await page.close();
    },
  };
}
