import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import type { Browser } from "./console-rig.ts";
import { mustRun } from "./harness.ts";

/** Sealed copies of keys switched on and off while it runs, and secrets that are nowhere to be read. */

const SECRETS = { smtp_password: "canary-of-the-mail-1b9d", oidc_client_secret: "canary-of-the-client-77ac" };

for (const database of DATABASES) {
  describe(`on ${database}`, () => {
    let rig: OperatorRig;
    let ann: Browser;
    let group = "";
    beforeAll(async () => {
      rig = await startOperator(database, { WICKETGATE_LOG_LEVEL: "debug" });
      ann = await rig.invited("ann@example.org");
      group = (await ann.call("GET /groups")).groups[0]?.id ?? "";
    });
    afterAll(() => rig.dispose());

    const set = (settings: Record<string, string | null>, remove?: boolean) =>
      rig.operator.call("PATCH /operator/settings", {
        body: { settings, ...(remove === undefined ? {} : { remove_sealed_copies: remove }) },
      });
    const copies = async () => (await rig.operator.call("GET /operator/settings/sealed-copies")).keys;
    const made = async (name: string) => {
      const { key } = await ann.call("POST /keys", { body: { name, group } });
      return key.id;
    };
    const entries = async () => {
      const { entries: found } = await rig.operator.call("GET /operator/audit", {
        query: { noun: "setting" },
      });
      return found.map(({ name, action, fields }) => {
        return { name, action, fields: fields.map(({ field, before, after }) => [field, before, after]) };
      });
    };

    test("without copies new keys have none, by console and command line alike, and the old ones stay", async () => {
      await made("first");
      await made("second");
      expect(await copies()).toBe(2);
      await set({ sealed_copies: "off" });
      expect((await ann.call("GET /house")).sealed_copies).toBe(false);
      await made("third");
      const create = ["key", "create", "--account", "ann@example.org", "--name", "fourth", "--group", "all"];
      await mustRun(rig.dir, create);
      expect(await copies()).toBe(2);
      await set({ sealed_copies: null });
      await made("fifth");
      await mustRun(rig.dir, [...create.slice(0, 5), "sixth", ...create.slice(6)]);
      expect(await copies()).toBe(4);
    });

    test("copies are removed only where they are switched off, and the audit says how many", async () => {
      const both = { settings: { sealed_copies: "on" }, remove_sealed_copies: true };
      for (const body of [both, { settings: {}, remove_sealed_copies: true }]) {
        const { error } = await rig.operator.refused("PATCH /operator/settings", { body });
        expect(error.fields?.[0]?.path).toBe("remove_sealed_copies");
      }
      expect(await copies()).toBe(4);
      await set({ sealed_copies: "off" }, true);
      expect(await copies()).toBe(0);
      const [last] = await entries();
      expect(last).toMatchObject({ name: "sealed_copies", action: "remove copies" });
      expect(JSON.stringify(last?.fields)).toBe('[["copies","4","0"]]');
      const { keys } = await ann.call("GET /keys");
      expect(keys.map(key => key.state)).toEqual(keys.map(() => "active"));
      // Already off: what is left of another time can still be removed.
      await set({}, true);
      await set({ sealed_copies: null });
    });

    test("more copies than one step takes are all removed", async () => {
      const keys = Array.from({ length: 450 }, (_, at) => ({
        account: "ann@example.org",
        name: `k${at}`,
        group: "all",
      }));
      await mustRun(rig.dir, ["apply", "-"], { stdin: JSON.stringify({ keys }) });
      expect(await copies()).toBe(450);
      const told = await mustRun(rig.dir, ["settings", "set", "sealed_copies", "off", "--remove-copies"]);
      expect(told).toBe("sealed_copies is set.\n450 copies are removed.\n");
      expect(await copies()).toBe(0);
      const counts = (await entries())
        .filter(({ action }) => action === "remove copies")
        .map(one => one.fields[0]);
      expect(JSON.stringify(counts.slice(0, 3))).toBe(
        '[["copies","50","0"],["copies","200","0"],["copies","200","0"]]',
      );
    });

    test("a secret is set and never read back: not in answers, audit, log, lists or backups", async () => {
      const seen: string[] = [];
      const issuer = { oidc_issuer: "https://id.example.org", oidc_client_id: "gate", smtp_user: "gate" };
      seen.push(JSON.stringify(await set({ ...issuer, ...SECRETS })));
      seen.push(JSON.stringify(await set({ smtp_password: `${SECRETS.smtp_password}-2` })));
      const wrong = { settings: { ...SECRETS, smtp_port: "no" } };
      seen.push(JSON.stringify(await rig.operator.refused("PATCH /operator/settings", { body: wrong })));
      const broken = { settings: { smtp_password: `${SECRETS.smtp_password}\n` } };
      seen.push(JSON.stringify(await rig.operator.refused("PATCH /operator/settings", { body: broken })));
      const listed = await rig.operator.call("GET /operator/settings");
      seen.push(JSON.stringify(listed));
      expect(listed.settings.find(({ name }) => name === "smtp_password")).toMatchObject({
        ...{ value: "", is_set: true, from: "console" },
      });
      seen.push(await (await rig.operator.send("GET /operator/audit/export")).text());
      seen.push(
        await mustRun(rig.dir, ["settings", "list"]),
        await mustRun(rig.dir, ["settings", "list", "--json"]),
      );
      seen.push(await mustRun(rig.dir, ["config"]), rig.gateway.log());
      const file = join(rig.dir, "copy.wg");
      seen.push(await mustRun(rig.dir, ["backup", file]));
      const packed = readFileSync(file);
      seen.push(packed.toString("latin1"), zstdDecompressSync(packed).toString("latin1"));
      for (const text of seen) expect(text.length).toBeGreaterThan(0);
      for (const secret of Object.values(SECRETS)) {
        for (const form of [
          secret,
          Buffer.from(secret).toString("base64").slice(0, -3),
          Buffer.from(secret).toString("hex"),
        ]) {
          expect(seen.filter(text => text.includes(form))).toEqual([]);
        }
      }
      const told = (await entries()).filter(({ name }) => name === "smtp_password").map(one => one.fields[0]);
      expect(JSON.stringify(told)).toBe('[["value","set","set (a new one)"],["value","not set","set"]]');
      await set({ smtp_password: null, smtp_user: null });
      const [gone] = (await entries()).filter(({ name }) => name === "smtp_password");
      expect(JSON.stringify(gone?.fields)).toBe('[["value","set","not set"]]');
    });

    test("a secret outlives a new master secret, in a server that runs on and in one that starts anew", async () => {
      const stdin = SECRETS.smtp_password;
      await set({ smtp_user: "gate", smtp_password: stdin });
      await mustRun(rig.dir, ["secret", "rotate"]);
      const { settings } = await rig.operator.call("GET /operator/settings");
      expect(settings.find(({ name }) => name === "smtp_password")).toMatchObject({ is_set: true });
      await set({ smtp_user: "other" });
      expect(rig.gateway.log()).not.toContain("settings.unreadable");
      await mustRun(rig.dir, ["settings", "set", "smtp_password", "-"], { stdin: `${stdin}\n` });
      await mustRun(rig.dir, ["settings", "set", "name", "After"]);
      expect(rig.gateway.log()).not.toContain("settings.unreadable");
    });
  });
}
