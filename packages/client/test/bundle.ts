/** The client as a browser gets it: minified modules, by file name. The first is `client.js`, which loads the others when they are needed. */
import { join } from "node:path";
import { rolldown } from "rolldown";

export async function bundle(entry = "index"): Promise<ReadonlyMap<string, string>> {
  const build = await rolldown({
    input: join(import.meta.dirname, "..", "src", `${entry}.ts`),
    platform: "browser",
    // Code that two modules share stays in the first, as in the bundle of an application.
    preserveEntrySignatures: "allow-extension",
    external: ["react"],
    resolve: { conditionNames: ["@capstan/source"] },
  });
  const { output } = await build.generate({
    format: "esm",
    minify: true,
    entryFileNames: "client.js",
    chunkFileNames: "[name].js",
  });
  await build.close();
  return new Map(
    output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.code]] : [])),
  );
}
