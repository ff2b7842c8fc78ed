/** `@capstan/server/node`: a server on a Node port, or in a Node framework. */
export { toNodeHandler } from "./node/node-handler.ts";
export type { NodeHandler, NodeHandlerOptions } from "./node/node-handler.ts";
export { serveNode } from "./node/serve-node.ts";
export type { NodeServer, ServeOptions } from "./node/serve-node.ts";
