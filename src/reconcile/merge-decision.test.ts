import { expect, test } from 'vitest';
import { decideDeletedMerge, decideMerge, type StoredResource } from './merge-decision.ts';

const SENT_AT = 1_000;
const unmanaged: StoredResource = {
  origin: null,
  deleted_at: null,
  in_flight: 0,
  modified_at: 0,
  seen: undefined,
};
const managed: StoredResource = { ...unmanaged, origin: 'created' };

test.each([
  { why: 'nobody knows it', stored: undefined, decision: 'insert' },
  { why: 'seen before', stored: unmanaged, decision: 'merge' },
  { why: 'stored by a list of the same moment', stored: at(unmanaged, SENT_AT), decision: 'merge' },
  { why: 'seen after the list was asked for', stored: at(unmanaged, 1_001), decision: 'drop' },
  { why: 'managed and quiet', stored: managed, decision: 'merge' },
  { why: 'looked at meanwhile', stored: at(managed, SENT_AT), decision: 'look-again' },
  {
    why: 'shown by the list before in the same moment',
    stored: { ...managed, seen: { at: SENT_AT, by: 'scim.getGroups' } },
    decision: 'merge',
  },
  {
    why: 'shown by a later list',
    stored: { ...managed, seen: { at: SENT_AT + 1, by: 'scim.getGroups' } },
    decision: 'look-again',
  },
  {
    why: 'written in the same moment',
    stored: { ...managed, modified_at: SENT_AT },
    decision: 'look-again',
  },
  { why: 'written meanwhile', stored: { ...managed, modified_at: 1_001 }, decision: 'look-again' },
  { why: 'a call for it is on its way', stored: { ...managed, in_flight: 1 }, decision: 'drop' },
  { why: 'deleted through SCIM', stored: { ...managed, deleted_at: 5 }, decision: 'drop' },
])('what a list says of a resource: $why', ({ stored, decision }) => {
  expect(decideMerge(stored, SENT_AT)).toBe(decision);
});

const deleted: StoredResource = { ...managed, deleted_at: 5, modified_at: 5 };
test.each([
  { why: 'quiet', stored: deleted, decision: 'merge' },
  { why: 'deleted just now', stored: { ...deleted, modified_at: SENT_AT }, decision: 'drop' },
  { why: 'looked at meanwhile', stored: at(deleted, SENT_AT), decision: 'drop' },
  { why: 'a call for it is on its way', stored: { ...deleted, in_flight: 1 }, decision: 'drop' },
])('what a list says of somebody deleted: $why', ({ stored, decision }) => {
  expect(decideDeletedMerge(stored, SENT_AT)).toBe(decision);
});

function at(stored: StoredResource, observedAt: number): StoredResource {
  return { ...stored, seen: { at: observedAt, by: 'scim.getUser' } };
}
