/** A value of a field as somebody would write it. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span className="quiet">–</span>;
  return <span className="value">{toText(value)}</span>;
}

/** A value as one line of text. */
export function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(toText).join(', ') || 'none';
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${toText(inner)}`)
      .join(', ');
  }
  return '–';
}
