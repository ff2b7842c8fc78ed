# Configuration for `workerd serve workerd.capnp`. Bundle workerd.ts into worker.js first.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "app", worker = .app)],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "app")],
);

const app :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Agents", uniqueKey = "agents", enableSql = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "AGENTS", durableObjectNamespace = "Agents")],
);
