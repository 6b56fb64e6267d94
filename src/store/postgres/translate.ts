const placeholders = new Map<string, string>();

/**
 * The house writes `?`, PostgreSQL reads `$1`. Statements are constants of the source, so the memory of them is
 * bounded by it.
 */
export function numbered(sql: string): string {
  const known = placeholders.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const translated = sql.replace(/'[^']*'|"[^"]*"|\?/g, found => {
    if (found !== "?") return found;
    count += 1;
    return `$${count}`;
  });
  placeholders.set(sql, translated);
  return translated;
}

/** What PostgreSQL calls the types. Texts sort by their bytes, as in SQLite, whatever the database's language. */
export function nativeSchema(statement: string): string {
  const typed = statement.replaceAll("$int", "bigint").replaceAll("$bytes", "bytea");
  return /^(create|alter) table/.test(statement) ? typed.replace(/\btext\b/g, `text collate "C"`) : typed;
}
