/** Copies, by the old way too where the clipboard is denied or absent; false where neither is allowed. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "fixed top-0 left-0 size-px opacity-0";
  const before = document.activeElement;
  // Inside the dialog that is open, since focus may not leave it.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
