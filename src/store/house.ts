import { text } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

const SECRET_MARK = "secret_mark";

/**
 * The database knows its master secret again by a mark from which nothing can be learned. Under another secret every
 * key would be unknown and no credential could be opened, and nothing would say why.
 */
export async function checkSecret(tx: Tx, { mark }: { mark: string }): Promise<void> {
  const [row] = await tx.all("select value from house where name = ?", SECRET_MARK);
  if (row === undefined) {
    await tx.run("insert into house (name, value) values (?, ?)", SECRET_MARK, mark);
  } else if (text(row["value"]) !== mark) {
    throw new StoreProblem(
      "This database was made with another master secret: set WICKETGATE_SECRET or WICKETGATE_SECRET_FILE to the one it was made with. All instances of one database share one secret.",
    );
  }
}
