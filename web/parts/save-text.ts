/** Gives the browser a text to save as a file. */
export function saveText(name: string, text: string, type = "text/plain"): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers begin to read only after the click is over.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
