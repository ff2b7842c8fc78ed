/** `@capstan/testing/stores`: the contract of a `SessionRepository` as tests, with no test framework. */
export { storeContract } from "./stores/store-contract.ts";
export type { StoreUnderTest, TestFramework } from "./stores/store-contract.ts";
