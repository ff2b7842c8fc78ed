// Imports what it is told to, or nothing, and says how much CPU time, in microseconds, and memory, in bytes, the process has used.
// Plain JavaScript, so that no time goes into stripping types.

const [target] = process.argv.slice(2);
if (target !== undefined) await import(target);
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ cpu: user + system, rss: process.memoryUsage.rss() }));
