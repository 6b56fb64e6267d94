/** Sums of the usage log, kept by settlement, and the indexes by which its pages are read. */
export const usageSums: readonly string[] = [];
