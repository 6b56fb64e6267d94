import type { z } from "zod";
import type { importLink } from "../contract/keys.ts";
import { pickModel } from "../setup/pick-model.ts";
import type { SetupModel } from "../setup/scene.ts";
import type { ImportWords } from "./import-words.ts";

export type ImportLink = z.output<typeof importLink>;

/** What every link is written from. */
export type ImportScene = {
  /** The address of the house, without /v1. */
  root: string;
  /** The string of the key. */
  string: string;
  /** What the client will call the connection. */
  title: string;
  /** Tells this key's connection from those of others. */
  slug: string;
  /** All that the key can call; not empty. */
  models: readonly SetupModel[];
  /** Chosen by the holder; null: what suits the client. */
  model: string | null;
  words: ImportWords;
};

export function modelFor({ models, model }: ImportScene, wishes: readonly RegExp[]): string {
  const names = models.map(({ name }) => name);
  return model ?? pickModel(names, wishes) ?? "";
}

/**
 * JSON in standard base64. It is plain ASCII, because some of these programs decode bytes as characters; brackets and
 * single quotes are escapes, because one of them takes those out or replaces them before it reads the JSON.
 */
export function packedJson(value: unknown): string {
  const json = JSON.stringify(value).replace(
    /['()\u007f-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return btoa(json);
}
