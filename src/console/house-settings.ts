import type { Log } from "../domain/log.ts";
import { type HouseSettings, type SettingKey, settingKey, settingName } from "../domain/settings.ts";
import { houseSettings, type SettingTexts } from "../domain/settings-house.ts";
import type { StoredSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { type SealKey, unseal } from "../upstream/seal.ts";
import { BOUND_TO } from "./bound-to.ts";

export type SettingsOf = {
  store: Pick<Store, "run">;
  secrets: { seal: SealKey };
  /** By the environment. */
  fixed: SettingTexts;
  log: Log;
};

export type HouseKeeper = {
  /** As they are now; nobody keeps what this gave. */
  settings: () => HouseSettings;
  /** Reads them again, after whatever may have changed them. */
  refresh: () => Promise<void>;
};

/** The settings of the house as this process knows them. */
export async function keepSettings(house: SettingsOf): Promise<HouseKeeper> {
  let told = "";
  let current = await read();

  async function read(): Promise<HouseSettings> {
    const rows = await house.store.run("settings.read", {});
    const stored = openedTexts(rows, house.secrets.seal);
    const { settings, unreadable } = houseSettings({ fixed: house.fixed, stored: stored.texts });
    tell([...stored.sealed, ...unreadable]);
    return settings;
  }

  /** Once for each change: they are read often. */
  function tell(unreadable: readonly SettingKey[]): void {
    const names = unreadable.map(settingName).join(", ");
    if (names !== told && names !== "") house.log("warn", "settings.unreadable", { names });
    told = names;
  }

  return {
    settings: () => current,
    refresh: async () => {
      current = await read();
    },
  };
}

type Opened = {
  texts: SettingTexts;
  /** Those that no known secret opens: not set, for all that can be done with them. */
  sealed: readonly SettingKey[];
};

function openedTexts(rows: readonly StoredSetting[], seal: SealKey): Opened {
  const texts: Partial<Record<SettingKey, string>> = {};
  const closed: SettingKey[] = [];
  for (const { name, value, sealed } of rows) {
    const key = settingKey(name);
    const boundTo = BOUND_TO.settings(name);
    if (key === null || boundTo === null) continue;
    const plain = sealed === null ? value : unseal(sealed, { key: seal, boundTo });
    if (plain === null) closed.push(key);
    else texts[key] = plain;
  }
  return { texts, sealed: closed };
}
