// Stops with one sentence when Node is older than the one the scripts are written for. An old Node
// has to run this file, so it is plain JavaScript. A version may be given as the first argument.

const required = 24;
const version = process.argv[2] || process.versions.node;

if (Number(version.split(".")[0]) < required) {
  console.error(
    `The scripts of this repository need Node ${required} or newer and this is Node ${version}: ` +
      "run `npm ci` and start them through npm, which brings a Node of its own on common platforms, " +
      `or install Node ${required}.`,
  );
  process.exit(1);
}
