// Writes back each key at once: no program shows a key sooner.
process.stdin.setRawMode(true);
process.stdin.on("data", (data) => process.stdout.write(data));
process.stdout.write("ready");
