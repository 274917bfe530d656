import { describe, expect, test } from 'vitest';
import type { Cell, Cells } from './cell.ts';
import {
  acceptRoles,
  type EntityField,
  endEntities,
  holdsRoles,
  leaveEntities,
  type SeenEntities,
  seeEntities,
  toRoleText,
  wantEntities,
} from './entity.ts';

const field = 'entity:minutes';
const seen = (text?: string): SeenEntities => ({
  at: 1,
  roles: text === undefined ? {} : { [field]: text },
});
const cell = (value: string, by: 'rule' | 'service', more: Cell = {}): Cells<EntityField> => ({
  [field]: { ...more, source: { value, by } },
});

describe('the roles that rules want in an entity', () => {
  const wanted = new Map<EntityField, string>([[field, 'reader']]);
  const nothing = new Map<EntityField, string>();

  test.each([
    {
      why: 'new: it may be there already',
      before: {},
      want: wanted,
      after: cell('reader', 'service'),
    },
    { why: 'as before: no change', before: cell('reader', 'rule'), want: wanted },
    {
      why: 'others: whose it is stays',
      before: cell('writer', 'rule'),
      want: wanted,
      after: cell('reader', 'rule'),
    },
    {
      why: 'none, and a rule put it in: it is to go',
      before: cell('reader', 'rule'),
      want: nothing,
      after: cell('', 'rule'),
    },
    {
      why: 'wanted again before it went',
      before: cell('', 'rule', { pending: 3 }),
      want: wanted,
      after: cell('reader', 'rule', { pending: 3 }),
    },
  ])('$why', ({ before, want, after }) => {
    const { cells, changed } = wantEntities<never>(before, want, seen('reader'));

    expect(cells).toEqual(after ?? before);
    expect(changed).toEqual(after === undefined ? [] : [field]);
  });

  test.each([
    { why: 'it was there before', before: cell('reader', 'service'), held: seen('reader') },
    { why: 'the service does not show it', before: cell('reader', 'rule'), held: seen() },
  ])('none, and $why: it is let go of', ({ before, held }) => {
    expect(wantEntities<never>(before, nothing, held)).toEqual({ cells: {}, changed: [] });
  });

  test('none, while a call may be giving them: they are to go', () => {
    const waiting = cell('reader', 'rule', { pending: 2 });

    expect(wantEntities<never>(waiting, nothing, seen()).changed).toEqual([field]);
  });

  test('of a released group: what a rule put in is to go, the rest stays', () => {
    expect(leaveEntities<never>(cell('reader', 'rule'), 4)).toEqual(
      cell('', 'rule', { pending: 4 }),
    );
    expect(leaveEntities<never>(cell('reader', 'service'), 4)).toEqual({});
  });
});

describe('a list of the entities', () => {
  test('that lacks one says that it was not there before the rules', () => {
    expect(seeEntities<never>(cell('reader', 'service'), seen())).toEqual(cell('reader', 'rule'));
    expect(seeEntities<never>(cell('reader', 'service'), seen(''))).toEqual(cell('reader', 'rule'));
    expect(seeEntities<never>(cell('reader', 'service'), seen('writer'))).toEqual(
      cell('reader', 'service'),
    );
  });

  test.each([
    { why: 'nobody wants it and it is out', before: cell('', 'rule'), held: seen(), isKept: false },
    { why: 'it is still there', before: cell('', 'rule'), held: seen('reader'), isKept: true },
    { why: 'nobody knows', before: cell('', 'rule'), held: undefined, isKept: true },
    { why: 'it still waits', before: cell('', 'rule', { pending: 1 }), held: seen(), isKept: true },
    { why: 'it is wanted', before: cell('reader', 'rule'), held: seen(), isKept: true },
  ])('ends the cell of an entity only where it is over: $why', ({ before, held, isKept }) => {
    expect(endEntities<never>(before, held)).toEqual(isKept ? before : {});
  });
});

test('roles are the same in any order, and what was accepted is no difference until others are wanted', () => {
  const accepted = acceptRoles<never>(cell('reader', 'rule'), field, 'writer');
  const others = wantEntities<never>(accepted, new Map([[field, 'admin']]), seen('writer'));

  expect(toRoleText(['b', 'a', 'b'])).toBe('a b');
  expect(holdsRoles(accepted[field], 'writer')).toBe(true);
  expect(holdsRoles(accepted[field], 'reader')).toBe(true);
  expect(holdsRoles(accepted[field], undefined)).toBe(false);
  expect(holdsRoles(others.cells[field], 'writer')).toBe(false);
  expect(acceptRoles<never>(cell('', 'rule'), field, 'reader')).toEqual({});
});
