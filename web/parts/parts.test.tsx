import { describe, expect, test } from "bun:test";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { LanguageProvider } from "../words/language-provider.tsx";
import { BarChart } from "./bar-chart.tsx";
import { Button } from "./button.tsx";
import { DataTable } from "./data-table.tsx";
import { Field } from "./field.tsx";
import { Money } from "./money.tsx";
import { NumberInput } from "./number-input.tsx";
import { TextInput } from "./text-input.tsx";

const draw = (node: ReactNode, language: "en" | "zh" = "en") =>
  renderToStaticMarkup(<LanguageProvider initial={language}>{node}</LanguageProvider>);

const chart = {
  title: "Spend per day",
  description: "By key.",
  labels: ["1 Nov", "2 Nov"],
  series: [
    { id: "a", name: "laptop", values: [1, 2], texts: ["$1.000000001", "$2.0000"] },
    { id: "b", name: "ci", values: [0, 3] },
  ],
  show: (value: number) => `$${value.toFixed(2)}`,
};

describe("a field", () => {
  test("ties label, hint and error to its input", () => {
    const html = draw(
      <Field label="Name" hint="One per tool" error="Is taken">
        <TextInput value="x" />
      </Field>,
    );
    const id = /<input[^>]* id="([^"]+)"/.exec(html)?.[1] ?? "";
    expect(html).toContain(`for="${id}"`);
    expect(html).toContain(`aria-describedby="${id}-error ${id}-hint"`);
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain(`id="${id}-error" role="alert"`);
  });

  test("without an error says nothing of one", () => {
    const html = draw(
      <Field label="Amount">
        <NumberInput value="" onChange={() => {}} />
      </Field>,
    );
    expect(html).not.toContain("aria-invalid");
    expect(html).not.toContain("alert");
  });
});

describe("a button", () => {
  test("that is busy says so and takes no second click", () => {
    const html = draw(<Button busy>Create</Button>);
    expect(html).toContain('aria-busy="true"');
    expect(html).toContain('aria-disabled="true"');
    expect(html).toContain('type="button"');
  });
});

describe("a chart", () => {
  test("is reached by keyboard and reads out label and total", () => {
    const html = draw(<BarChart {...chart} />);
    expect(html).toContain('type="range"');
    expect(html).toContain('aria-valuetext="2 Nov: $5.00"');
    expect(html).toContain("Spend per day. By key.");
  });

  test("has the same figures as a table, exact where they are given", () => {
    const html = draw(<BarChart {...chart} asTable />);
    for (const text of ["$1.000000001", "$2.0000", "$3.00", "1 Nov", "laptop", "ci"])
      expect(html).toContain(text);
    expect(html).toContain('<th scope="row"');
  });
});

describe("a list", () => {
  const columns = [
    { id: "name", header: "Name", card: "title" as const, cell: (row: { name: string }) => row.name },
  ];
  const list = { label: "Keys", columns, getId: (row: { name: string }) => row.name, empty: <p>None</p> };

  test("shows markup in a name as text", () => {
    const html = draw(<DataTable {...list} rows={[{ name: '<img src=x onerror="alert(1)">' }]} />);
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x");
  });

  test("has a state for loading, for none and for an error", () => {
    expect(draw(<DataTable {...list} rows={undefined} />)).toContain('aria-busy="true"');
    expect(draw(<DataTable {...list} rows={[]} />)).toBe("<p>None</p>");
    const failed = draw(
      <DataTable {...list} rows={undefined} error={new Error("x")} onRetry={() => {}} />,
      "zh",
    );
    expect(failed).toContain("重试");
    expect(failed).toContain('role="alert"');
  });
});

describe("an amount", () => {
  test("that is rounded gives the exact one on hover", () => {
    expect(draw(<Money usd="0.029224" decimals={4} />)).toContain('title="$0.029224"');
    expect(draw(<Money usd="0.029224" />)).not.toContain("title");
  });
});
