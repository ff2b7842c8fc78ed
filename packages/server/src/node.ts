/** `@capstan/server/node`: a server on a port of Node's. */
export { serveNode } from "./node/serve-node.ts";
export type { NodeServer, ServeOptions } from "./node/serve-node.ts";
