/** A table in Markdown: the first column to the left, the others to the right. Pure. */
export function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A number as people read it: 12,345, 123, 12.3, 1.23. A dash when it is not known. Pure. */
export function toFigure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
