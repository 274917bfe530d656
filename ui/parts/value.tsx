import { toText } from '../../src/ops/lists/words.ts';

/** A value of a field as somebody would write it. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span className="quiet">–</span>;
  return <span className="value">{toText(value)}</span>;
}
