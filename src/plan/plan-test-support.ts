import type { Cell } from '../domain/cell.ts';
import type { LinkChange } from '../domain/link.ts';
import { parseFields, userId } from '../domain/values.ts';
import type { Field, Step, StepKind, Values } from './step.ts';

/** A step by the values that its call gives each field. */
export function stepOf(kind: StepKind, given: { readonly [F in Field]?: Values }): Step {
  const facts = parseFields<Field>(given).map((part) => ({ part, values: given[part] ?? {} }));
  return { kind, facts };
}

/** A step that changes users in lists. */
export const stepOfLinks = (kind: StepKind, ...links: readonly LinkChange[]): Step => ({
  kind,
  facts: links.map((part) => ({ part, values: {} })),
});

const problem = { code: 'refused', words: '' };

/** A field that the service refused. */
export const refused: Cell = { pending: 1, failure: { version: 1, since: 1, retryAt: 1, problem } };

/** A field whose write failed this often, and when it is tried again. */
export const failing = (attempts: number, retryAt: number, since: number | null = null): Cell => ({
  pending: 1,
  failure: { version: 1, since, retryAt, problem, attempts },
});

/** A change of one user in a list. */
export function linkOf(list: LinkChange['list'], wanted: boolean, more?: Partial<LinkChange>) {
  return { list, userId: userId('u'), upstreamUserId: 1, wanted, pending: 1, ...more };
}
