/** As the list has it by now: what was true when a dialog about it was opened may have changed since. */
export function newest<T extends { id: string }>(list: readonly T[] | undefined, known: T): T {
  return list?.find(({ id }) => id === known.id) ?? known;
}
