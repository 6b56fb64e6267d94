type Option = { value: string; label: string };

/** A link may name what no list has: it is shown as it is, and can be taken away. */
export function withChosen(options: Option[], value: string | undefined): Option[] {
  if (value === undefined || options.some(option => option.value === value)) return options;
  return [...options, { value, label: value }];
}
