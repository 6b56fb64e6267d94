/** After a form was refused: to the first field that has to be put right. */
export function focusFirstProblem(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>("[role='dialog'] [aria-invalid='true']");
    field?.focus();
    field?.scrollIntoView({ block: "center" });
  });
}
