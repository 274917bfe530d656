import { expect, test } from 'vitest';
import { confirms, isGone, isTheSame } from './kinds.ts';

const older = { name: 'Ada', active: true, at: 1, by: 'look', listedAt: 1 };
const newer = { ...older, at: 9, listedAt: 9 };

test.each([
  ['the same facts at another time', newer, older, true, true],
  ['a fact more', { ...newer, email: 'a@b' }, older, true, false],
  ['another read', { ...newer, by: 'sweep' }, older, true, false],
  ['the first in a list', newer, { ...older, listedAt: undefined }, true, false],
  ['the first by SCIM', { ...newer, shownAt: 9 }, older, true, false],
  ['the return of somebody who was gone', newer, { ...older, goneAt: 1 }, true, false],
  ['somebody who went before the earlier sighting', newer, { ...older, goneAt: 0 }, true, true],
])('a sighting confirms one before, or repeats it: %s', (_why, now, before, confirmed, same) => {
  const strip = ({ listedAt, ...rest }: typeof before) =>
    listedAt === undefined ? rest : { ...rest, listedAt };

  expect([confirms(now, strip(before)), isTheSame(now, strip(before))]).toEqual([confirmed, same]);
});

test('gone is who was not found since the last sighting', () => {
  const seen = [undefined, { at: 5 }, ...[4, 5, 6].map((goneAt) => ({ at: 5, goneAt }))];

  expect(seen.map(isGone)).toEqual([false, false, false, true, true]);
});
