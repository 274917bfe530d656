/**
 * Version of the last write of each field (a provider's or a rule's) that the service does not hold yet. A field that
 * is absent does not wait: a difference in it is drift, and is not touched (docs/ARCHITECTURE.md, the three facts).
 */
export type Pending<Field extends string> = { readonly [F in Field]?: number };

/** The fields that wait. An object of ours has no other keys than its fields. */
export function parsePendingFields<Field extends string>(pending: Pending<Field>): Field[] {
  return Object.keys(pending) as Field[];
}

/** The oldest version that still waits, or undefined when nothing does. */
export function oldestPending<Field extends string>(pending: Pending<Field>): number | undefined {
  let oldest: number | undefined;
  for (const version of Object.values<number | undefined>(pending)) {
    if (version !== undefined && (oldest === undefined || version < oldest)) oldest = version;
  }
  return oldest;
}

/**
 * Fields that were written since a call of unknown outcome was planned. It may still take effect, so that seeing their
 * values in the service does not prove that they stay.
 */
export function listUnsure<Field extends string>({
  pending,
  unsureSince = Number.POSITIVE_INFINITY,
}: {
  readonly pending: Pending<Field>;
  readonly unsureSince?: number;
}): Field[] {
  return parsePendingFields(pending).filter((field) => (pending[field] ?? 0) > unsureSince);
}

/** `pending` with `fields` waiting since `version`. */
export function addPending<Field extends string>(
  pending: Pending<Field>,
  fields: Iterable<Field>,
  version: number,
): Pending<Field> {
  const next: { [F in Field]?: number } = { ...pending };
  for (const field of fields) next[field] = version;
  return next;
}

/**
 * `pending` without the fields of `planned` whose version is still the one that was planned from: a
 * compare-and-set, so that a write which arrived during the call keeps its claim on the next one.
 */
export function withoutDone<Field extends string>(
  pending: Pending<Field>,
  planned: Pending<Field>,
  fields: Iterable<Field>,
): Pending<Field> {
  const next: { [F in Field]?: number } = { ...pending };
  for (const field of fields) if (next[field] === planned[field]) delete next[field];
  return next;
}

/** `pending` with `fields` waiting as they did in `before`, or no longer, where they did not then. */
export function restorePending<Field extends string>(
  pending: Pending<Field>,
  before: Pending<Field>,
  fields: Iterable<Field>,
): Pending<Field> {
  const next: { [F in Field]?: number } = { ...pending };
  for (const field of fields) {
    const version = before[field];
    if (version === undefined) delete next[field];
    else next[field] = version;
  }
  return next;
}
