import { expect, test } from 'vitest';
import { toLookAgainColumns } from './mark-to-look.ts';
import { decideDeletedMerge, decideMerge, type StoredResource } from './merge-decision.ts';

const SENT_AT = 1_000;
const unmanaged: StoredResource = {
  origin: null,
  deleted_at: null,
  lane_owner: null,
  modified_at: 0,
  seen: undefined,
};
const managed: StoredResource = { ...unmanaged, origin: 'created' };

test.each([
  { why: 'nobody knows it', stored: undefined, fate: 'insert' },
  { why: 'seen before', stored: unmanaged, fate: 'merge' },
  { why: 'stored by a list of the same moment', stored: at(unmanaged, SENT_AT), fate: 'merge' },
  { why: 'seen after the list was asked for', stored: at(unmanaged, 1_001), fate: 'drop' },
  { why: 'managed and quiet', stored: managed, fate: 'merge' },
  { why: 'looked at meanwhile', stored: at(managed, SENT_AT), fate: 'look-again' },
  {
    why: 'shown by the list before in the same moment',
    stored: { ...managed, seen: { at: SENT_AT, by: 'scim.getGroups' } },
    fate: 'merge',
  },
  {
    why: 'shown by a later list',
    stored: { ...managed, seen: { at: SENT_AT + 1, by: 'scim.getGroups' } },
    fate: 'look-again',
  },
  {
    why: 'written in the same moment',
    stored: { ...managed, modified_at: SENT_AT },
    fate: 'look-again',
  },
  { why: 'written meanwhile', stored: { ...managed, modified_at: 1_001 }, fate: 'look-again' },
  { why: 'somebody holds its lane', stored: { ...managed, lane_owner: 'other' }, fate: 'drop' },
  { why: 'deleted through SCIM', stored: { ...managed, deleted_at: 5 }, fate: 'drop' },
])('what a list says of a resource: $why', ({ stored, fate }) => {
  expect(decideMerge(stored, SENT_AT)).toBe(fate);
});

const deleted: StoredResource = { ...managed, deleted_at: 5, modified_at: 5 };
test.each([
  { why: 'quiet', stored: deleted, fate: 'merge' },
  { why: 'deleted just now', stored: { ...deleted, modified_at: SENT_AT }, fate: 'drop' },
  { why: 'looked at meanwhile', stored: at(deleted, SENT_AT), fate: 'drop' },
  { why: 'somebody holds its lane', stored: { ...deleted, lane_owner: 'other' }, fate: 'drop' },
])('what a list says of somebody deleted: $why', ({ stored, fate }) => {
  expect(decideDeletedMerge(stored, SENT_AT)).toBe(fate);
});

test('a look is added to what is due already, and delays nothing', () => {
  const now = 500;
  expect(toLookAgainColumns({ due_at: null, due_class: 1 }, now)).toEqual({
    must_look: 1,
    due_at: now,
    due_class: 2,
  });
  expect(toLookAgainColumns({ due_at: 100, due_class: 0 }, now)).toEqual({
    must_look: 1,
    due_at: 100,
    due_class: 0,
  });
});

function at(stored: StoredResource, observedAt: number): StoredResource {
  return { ...stored, seen: { at: observedAt, by: 'scim.getUser' } };
}
