/** Text that would do something wherever it were taken for more than text. */

/** Each sets `window.hit` or opens a dialog where it is run. */
export const PAYLOADS: readonly string[] = [
  `<img src=x onerror="window.hit=1">`,
  `"><script>window.hit=1</script>`,
  `'><svg/onload=window.hit=1>`,
  `javascript:window.hit=1`,
  `\${window.hit=1}{{constructor.constructor('window.hit=1')()}}`,
  `</title></textarea><iframe srcdoc="<script>parent.hit=1</script>">`,
  `" onmouseover="window.hit=1" autofocus onfocus="window.hit=1`,
  `<a href="javascript:alert(1)">x</a><math><mi xlink:href="data:x,<script>alert(1)</script>">`,
];

/** What a spreadsheet would run. */
export const FORMULAS: readonly string[] = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)"];
