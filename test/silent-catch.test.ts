/** The lint rule that asks for a reason where a failure is swallowed. */
import { RuleTester } from "oxlint/plugins-dev";
import { describe, test } from "vitest";
import { silentCatchRule } from "../scripts/lint-silent-catch.ts";

RuleTester.describe = describe;
RuleTester.it = test;

const swallowed = (code: string) => ({ code, errors: 1, filename: "a.ts" });
const accepted = (code: string) => ({ code, filename: "a.ts" });

// The rule declares the few fields of nodes that it reads, and the tester those of every node.
new RuleTester().run("silent-catch", silentCatchRule as never, {
  valid: [
    "try { a(); } catch {\n  // It is gone already.\n}",
    "try { a(); } catch (thrown) { report(thrown); }",
    "try { a(); } catch { throw new Error('not JSON'); }",
    "// It is gone already.\na().catch(() => {});",
    "a().catch(() => {}); // It is gone already.",
    "a().catch(() => {\n  // It is gone already.\n});",
    "// It is gone already.\nawait b(\n  1,\n).catch(() => undefined);",
    "a().catch((thrown) => report(thrown));",
    "a().catch(() => retry());",
    "a().catch(ignored);",
    "expect(await a().catch(() => 'refused')).toBe('refused');",
  ].map(accepted),
  invalid: [
    "try { a(); } catch {}",
    "try { a(); } catch (thrown) {}",
    "try { a(); } catch { return; }",
    "// About something else.\ntry { a(); } catch { b(); }",
    "a().catch(() => {});",
    "a().catch(() => undefined);",
    "const text = await a().catch(() => '');",
    "const names = await a().catch(() => []);",
    "a().catch(function () {});",
    "b(); // About something else.\na().catch(() => {});",
    "// About something else.\n\na().catch(() => {});",
  ].map((code) => swallowed(code)),
});
