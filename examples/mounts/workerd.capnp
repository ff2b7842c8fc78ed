# Configuration for `workerd serve workerd.capnp`. Bundle workerd.ts into worker.js first.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "app", worker = .app),
    (name = "disk", disk = (writable = true)), # --directory-path=disk=FOLDER
  ],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "app")],
);

const app :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [
    (className = "Agents", uniqueKey = "agents", enableSql = true),
    (className = "SessionObject", uniqueKey = "sessions", enableSql = true),
    (className = "IndexObject", uniqueKey = "index", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "AGENTS", durableObjectNamespace = "Agents"),
    (name = "CAPSTAN_SESSIONS", durableObjectNamespace = "SessionObject"),
    (name = "CAPSTAN_INDEX", durableObjectNamespace = "IndexObject"),
    (name = "CAPSTAN_WAKE", service = "app"), # requested when sessions are due
  ],
);
