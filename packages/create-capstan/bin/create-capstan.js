#!/usr/bin/env node
// Committed as it is: npm links no command whose file does not exist yet, and dist/ is built after that.
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `create-capstan needs Node 22.18 or newer, and this is Node ${process.versions.node}.`,
  );
  process.exitCode = 1;
} else {
  const { ended } = await import("../dist/main.js");
  await ended;
}
