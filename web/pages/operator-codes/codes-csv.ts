export type MadeCodes = {
  codes: readonly { id: string; code: string }[];
  amountUsd: string;
  note: string;
  expiresAt: string | null;
};

/** A spreadsheet must not take a note for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function codesCsv({ codes, amountUsd, note, expiresAt }: MadeCodes): string {
  const head = ["code", "id", "amount_usd", "note", "expires_at"];
  const rows = codes.map(({ code, id }) => [code, id, amountUsd, note, expiresAt ?? ""]);
  return [head, ...rows].map(row => `${row.map(cell).join(",")}\r\n`).join("");
}
