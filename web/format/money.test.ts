import { describe, expect, test } from "bun:test";
import { assert, bigInt, property } from "fast-check";
import { addMoney, compareMoney, formatMoney, formatMoneyShort, formatPrice } from "./money.ts";

describe("money", () => {
  test("shows every digit that was sent, and four decimals at least", () => {
    expect(formatMoney("3.118", "en")).toBe("$3.1180");
    expect(formatMoney("5", "en")).toBe("$5.0000");
    expect(formatMoney("0.000029224", "en")).toBe("$0.000029224");
    expect(formatMoney("12345678.9", "zh")).toBe("$12,345,678.9000");
    expect(formatMoney("-0.5", "en")).toBe("−$0.5000");
  });

  test("stays exact where a float would not", () => {
    expect(formatMoney("900719925474099312.123456789", "en")).toBe("$900,719,925,474,099,312.123456789");
  });

  test("rounds half up where asked, and never shows something as nothing", () => {
    expect(formatMoneyShort("0.029224", "en")).toBe("$0.0292");
    expect(formatMoneyShort("0.02925", "en")).toBe("$0.0293");
    expect(formatMoneyShort("0.99995", "en")).toBe("$1.0000");
    expect(formatMoneyShort("0.00004", "en")).toBe("<$0.0001");
    expect(formatMoneyShort("0", "en")).toBe("$0.0000");
    expect(formatMoneyShort("12.5", "en", 2)).toBe("$12.50");
    expect(formatMoneyShort("-1.00005", "en")).toBe("−$1.0001");
  });

  test("writes prices with two decimals at least", () => {
    expect(formatPrice("3", "en")).toBe("$3.00");
    expect(formatPrice("0.075", "en")).toBe("$0.075");
  });

  test("adds and compares exactly", () => {
    const text = (nanos: bigint) => {
      const size = nanos < 0n ? -nanos : nanos;
      return `${nanos < 0n ? "-" : ""}${size / 1_000_000_000n}.${String(size % 1_000_000_000n).padStart(9, "0")}`;
    };
    const amount = bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
    assert(
      property(amount, amount, (a, b) => {
        expect(compareMoney(addMoney([text(a), text(b)]), text(a + b))).toBe(0);
        expect(compareMoney(text(a), text(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  test("shows nothing strange for what is no amount", () => {
    expect(formatMoney("<script>", "en")).toBe("$0.0000");
  });
});
