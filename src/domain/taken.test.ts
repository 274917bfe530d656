import { expect, test } from 'vitest';
import { listTaken, onlyTaken } from './write.ts';

const FLAG = 'addToCardsAndSpacesEnabled';
const all = ['active', 'temporarilyInactive', 'appsPermissions', 'permissions', FLAG];
const ACTIVE = { active: true };
const SUSPENDED = { active: true, temporarilyInactive: true };
const on = { [FLAG]: true };
const off = { [FLAG]: false };
const may = (appsPermissions: number) => ({ ...ACTIVE, appsPermissions });
const NEVER = undefined;
type Holding = Parameters<typeof listTaken>[0]['observed'];

test.each<[why: string, before: Holding, observed: Holding, after: object, taken: string[]]>([
  ['access that the service gives', { active: false }, ACTIVE, { active: false }, ['active']],
  ['work, by a suspension', ACTIVE, ACTIVE, SUSPENDED, ['temporarilyInactive']],
  ['work that the service allows', SUSPENDED, ACTIVE, SUSPENDED, ['temporarilyInactive']],
  ['no work of somebody suspended', SUSPENDED, SUSPENDED, SUSPENDED, []],
  ['one of two licences', may(3), may(3), may(1), ['appsPermissions']],
  ['a licence that the service gives', may(1), may(5), may(1), ['appsPermissions']],
  ['every licence that nobody wants any more', may(4), may(4), ACTIVE, ['appsPermissions']],
  ['not the licences that nobody wanted', may(0), may(4), ACTIVE, []],
  ['permissions that nobody has seen', {}, NEVER, { permissions: 8 }, ['permissions']],
  ['not those that were seen', {}, { permissions: 8 }, { permissions: 8 }, []],
  ['a flag that was wanted', on, NEVER, {}, [FLAG]],
  ['a flag that the service has', off, on, off, [FLAG]],
  ['a flag that nobody has seen', {}, NEVER, off, [FLAG]],
  ['not a flag that the service has not', {}, off, off, []],
  ['not a flag that was unwanted already', off, NEVER, off, []],
])('a change takes %s', (_why, before, observed, after, taken) => {
  const change = { before, observed, after: { active: true, ...after }, isInService: true };

  expect(listTaken({ ...change, fields: all })).toEqual(taken);
  expect(listTaken({ ...change, fields: [] })).toEqual([]);
});

test('of what the service does not have nothing unseen is taken', () => {
  const change = { before: undefined, observed: undefined, isInService: false, fields: all };

  expect(listTaken({ ...change, after: { ...ACTIVE, permissions: 8, ...off } })).toEqual([]);
});

const urn = 'urn:example:User';
const before = { displayName: 'Ada', active: true, [urn]: { title: 'Dr', appsPermissions: 3 } };
const after = { displayName: 'Eve', active: false, [urn]: { title: 'Ms', appsPermissions: 1 } };
const { [urn]: _, ...plain } = before;
const licensed = { [urn]: { title: 'Dr', appsPermissions: 1 } };
const both = ['title', 'appsPermissions'];

test.each<[what: string, taken: string[], asked: object, attributes: object, names: string[]]>([
  ['nothing', [], after, before, []],
  ['activity', ['active'], after, { ...before, active: false }, ['active']],
  ['licences', ['appsPermissions'], after, { ...before, ...licensed }, [`${urn}:appsPermissions`]],
  ['all of the extension', both, {}, plain, both.map((name) => `${urn}:${name}`)],
])(
  'of a change that takes %s no more than that is left',
  (_what, taken, asked, attributes, names) =>
    expect(onlyTaken({ before, after: { ...asked }, urn }, taken)).toEqual({
      attributes,
      names: new Set(names),
    }),
);
