import type { Cells } from './cell.ts';
import { edit, listWaiting } from './cell.ts';
import { parseFields } from './values.ts';

/** Versions that fields wait for. */
export type Versions<Field extends string> = { readonly [F in Field]?: number };

/** Cells of which nothing is known but what waits. */
export function waitingFor<Field extends string>(versions: Versions<Field>): Cells<Field> {
  return edit<Field>({}, parseFields(versions), (_, field) => ({ pending: versions[field] }));
}

/** Versions for which the fields of these cells wait. */
export function toVersions<Field extends string>(cells: Cells<Field>): Versions<Field> {
  const versions: { [F in Field]?: number } = {};
  for (const field of listWaiting(cells)) {
    const { pending } = cells[field] ?? {};
    if (pending !== undefined) versions[field] = pending;
  }
  return versions;
}
