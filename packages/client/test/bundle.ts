/** The client as a browser gets it: one module, minified. */
import { join } from "node:path";
import { rolldown } from "rolldown";

export async function bundle(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, "..", "src", "index.ts"),
    platform: "browser",
    resolve: { conditionNames: ["@capstan/source"] },
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  return output[0].code;
}
