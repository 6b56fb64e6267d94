/** Several credentials for each upstream. */
export const credentialTables: readonly string[] = [];
