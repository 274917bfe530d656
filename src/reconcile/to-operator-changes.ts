import type { OwnChange } from '../domain/own-call.ts';

/** A call names few; a longer list of names is cut. */
const NAMES_MAX = 1_000;
const NAME_LENGTH_MAX = 256;
const DEPTH_MAX = 8;
/** Parameters that name somebody or something. */
const NAMING = /(id|email|value|name)s?$/i;

/**
 * What a call that an operator asked for may show as in the audit log: anything about whom and what it names, one
 * entry for each name.
 */
export function toOperatorChanges(args: unknown): OwnChange[] {
  const names = new Set(listNames({ value: args, isNaming: false, depth: 0 }));
  return [...names]
    .slice(0, NAMES_MAX)
    .map((upstreamId): OwnChange => ({ kind: 'operator', upstreamId }));
}

interface Place {
  readonly value: unknown;
  /** Whether the parameter that holds the value names something. */
  readonly isNaming: boolean;
  readonly depth: number;
}

function listNames({ value, isNaming, depth }: Place): string[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const name = String(value);
    return isNaming && name !== '' && name.length <= NAME_LENGTH_MAX ? [name] : [];
  }
  if (typeof value !== 'object' || value === null || depth === DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listNames({
      value: inner,
      isNaming: Array.isArray(value) ? isNaming : NAMING.test(name),
      depth: depth + 1,
    }),
  );
}
