import type { GivenKey } from '../../domain/ids.ts';
import { Problem } from './route.ts';

/** Paths of a request about a user, a group, and whichever of them has the key. */
export const listKeyedPaths = <Thing extends string>(thing: Thing) =>
  [
    { path: `/users/{key}/${thing}`, type: 'user', of: 'of a person' },
    { path: `/groups/{key}/${thing}`, type: 'group', of: 'of a group' },
    { path: `/${thing}/{key}`, type: 'any', of: 'of a person or a group' },
  ] as const;

/** The only one that fits. @throws Problem when nothing fits, or several do */
export function getOnly<Row extends GivenKey>(rows: readonly Row[]): Row {
  const [only, second] = rows;
  if (only === undefined) throw new Problem(404, 'not-found', 'Nothing has this id or name.');
  if (second === undefined) return only;
  const found = rows.map(({ type, id }) => ({ type, id }));
  const list = found.map(({ type, id }) => `${type} ${id}`).join(', ');
  const message = `Several have this name, ask for one by its id: ${list}.`;
  throw new Problem(409, 'ambiguous', message, { more: { found } });
}
