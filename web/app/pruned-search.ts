/** The search of an address as it should be written: nothing that is empty stands in it. */
export function pruned<T extends object>(given: { [K in keyof T]?: T[K] | undefined }): T {
  const said = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(said) as T;
}
