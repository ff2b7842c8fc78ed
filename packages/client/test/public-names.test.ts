import * as client from "@capstan/client";
import * as chat from "@capstan/client/chat";
import * as proxy from "@capstan/client/proxy";
import * as react from "@capstan/client/react";
import * as tree from "@capstan/client/tree";
import { expect, test } from "vitest";

test("the client exports these names and no others", () => {
  expect(Object.keys(client).toSorted()).toEqual(["ClientError", "connect", "lendTool"]);
});

test("the part for pages of the AI SDK exports these names and no others", () => {
  expect(Object.keys(chat).toSorted()).toEqual(["chatTransport"]);
});

test("the part for models of a server exports these names and no others", () => {
  expect(Object.keys(proxy).toSorted()).toEqual(["proxyProvider"]);
});

test("the part for React exports these names and no others", () => {
  expect(Object.keys(react).toSorted()).toEqual(["useSession"]);
});

test("the part for trees of sessions exports these names and no others", () => {
  expect(Object.keys(tree).toSorted()).toEqual(["execute"]);
});
