import type { GivenKey } from '../../domain/ids.ts';
import { problem, type Refusal } from './route.ts';

/** Paths of a request about a user, a group, and whichever of them has the key. */
export const listKeyedPaths = <Thing extends string>(thing: Thing) =>
  [
    { path: `/users/{key}/${thing}`, type: 'user', of: 'of a person' },
    { path: `/groups/{key}/${thing}`, type: 'group', of: 'of a group' },
    { path: `/${thing}/{key}`, type: 'any', of: 'of a person or a group' },
  ] as const;

/** Answers about the only one that fits; 404 when nothing fits, 409 when several do. */
export async function answerKeyed<Row extends GivenKey, A>(
  rows: readonly Row[],
  answer: (row: Row) => Promise<A>,
): Promise<A | Refusal> {
  const [only, second] = rows;
  if (only === undefined) return problem(404, 'not-found', 'Nothing has this id or name.');
  if (second === undefined) return answer(only);
  const found = rows.map(({ type, id }) => ({ type, id }));
  const list = found.map(({ type, id }) => `${type} ${id}`).join(', ');
  const message = `Several have this name, ask for one by its id: ${list}.`;
  return problem(409, 'ambiguous', message, { found });
}
