#!/usr/bin/env node
// Committed as it is: npm links no command whose file does not exist yet, and dist/ is built after that.
const main = new URL("../dist/main.js", import.meta.url);
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`capstan needs Node 22.18 or newer, and this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  // Keeps compiled code for the next start. If it cannot be stored, this returns the reason and nothing else changes. The
  // folder is the user's own: Node runs what it finds there, and any user may write to the folder for temporary files.
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`);
  if (caches) process.getBuiltinModule("node:module").enableCompileCache(`${caches}/capstan`);
  try {
    await import(main);
  } catch (thrown) {
    // Not asked for beforehand: to load what could tell takes longer than everything else here.
    if (thrown.code !== "ERR_MODULE_NOT_FOUND" || thrown.url !== main.href) throw thrown;
    console.error("capstan is not built yet: run `npm ci` or `npm run build` in its repository.");
    process.exitCode = 1;
  }
}
