import { saveBlob } from "../../parts/save-text.ts";

/** Where an export is written to, piece by piece. */
export type Saving = {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** All of it is there: it becomes a file. */
  close: () => Promise<void>;
  abort: () => Promise<void>;
};

type Picker = (options: { suggestedName: string }) => Promise<{
  createWritable: () => Promise<{
    write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
    close: () => Promise<void>;
    abort: () => Promise<void>;
  }>;
}>;

/** So much is kept in the browser's memory without a second thought. */
const ROWS_IN_MEMORY_MAX = 100_000;

/** Whoever is there closed the dialog that asks where to save. */
export class SavingCancelled extends Error {}

/** Straight to the disk for what is long, where the browser can; else it is gathered and handed over whole. */
export async function beginSaving(file: string, rowsAbout: number | null): Promise<Saving> {
  const picker = (window as unknown as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (picker === undefined || rowsAbout === null || rowsAbout <= ROWS_IN_MEMORY_MAX) return inMemory(file);
  try {
    const handle = await picker.call(window, { suggestedName: file });
    return await handle.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw new SavingCancelled();
    return inMemory(file);
  }
}

function inMemory(file: string): Saving {
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  return {
    write: async bytes => void pieces.push(bytes),
    close: async () => saveBlob(file, new Blob(pieces)),
    abort: async () => {
      pieces = [];
    },
  };
}
