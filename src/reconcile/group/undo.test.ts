import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupField } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { revertGroupFields } from './undo.ts';

const before: JsonObject = {
  displayName: 'Board',
  externalId: 'b',
  [GROUP_EXTENSION]: { permissions: 4, addToCardsAndSpacesEnabled: false },
};
const extension = { permissions: 16, addToCardsAndSpacesEnabled: true };
const current: JsonObject = {
  displayName: 'Council',
  externalId: 'c',
  [GROUP_EXTENSION]: extension,
};

const cases: {
  why: string;
  before?: JsonObject;
  current?: JsonObject;
  fields: GroupField[];
  want: JsonObject;
}[] = [
  { why: 'nothing refused, nothing reverted', fields: [], want: current },
  {
    why: 'the name alone, what others wrote stays',
    fields: ['displayName'],
    want: { ...current, displayName: 'Board' },
  },
  {
    why: 'one value of the extension, its neighbour stays',
    fields: ['permissions'],
    want: { ...current, [GROUP_EXTENSION]: { ...extension, permissions: 4 } },
  },
  {
    why: 'false is a value',
    fields: ['addToCardsAndSpacesEnabled'],
    want: { ...current, [GROUP_EXTENSION]: { ...extension, addToCardsAndSpacesEnabled: false } },
  },
  {
    why: 'what was not there before is not there again',
    before: {},
    fields: ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'],
    want: { externalId: 'c' },
  },
  {
    why: 'an extension that was removed comes back with the refused value',
    current: {},
    fields: ['permissions'],
    want: { [GROUP_EXTENSION]: { permissions: 4 } },
  },
  {
    why: 'with its existence the whole write goes: nobody wrote anything since',
    fields: ['displayName', 'existence'],
    want: before,
  },
];

describe('a refused write of a group is taken back', () => {
  test.each(cases)('$why', ({ before: held, current: now, fields, want }) => {
    const given = structuredClone(now ?? current);

    expect(revertGroupFields(given, held ?? before, fields)).toEqual(want);
    expect(given).toEqual(now ?? current);
  });
});
