import { expect, test } from 'vitest';
import type { Link } from './link.ts';
import * as links from './link.ts';
import { userId } from './values.ts';

type Row = readonly [why: string, before: Partial<Link>, after: Partial<Link> | undefined];

/** What becomes of links by a change: written now at version 9, after earlier writes of version 5 and 3. */
function become(what: string, change: (link: Link) => Link | undefined, rows: Row[]): void {
  test.each(rows)(`${what}: %s`, (_why, before, after) =>
    expect(change({ ...links.NEW_LINK, ...before })).toEqual(
      after && { ...links.NEW_LINK, ...after },
    ),
  );
}

const adds = { wanted: true, version: 9, isUnsure: false };
const removes = { ...adds, wanted: false };
const unsure = { ...adds, isUnsure: true };
const back = { version: 9, next: 10 };
const refused = { version: 5, since: 1, retryAt: 99, problem: { code: 'refused', words: 'no' } };
const failed = { ...refused, attempts: 2 };
const IN = { desired: 1, observed: 1 };
const OUT = { desired: 0, observed: 0 };
const COMING = { desired: 1, observed: 0, pending: 5 };
const GOING = { desired: 0, observed: 1, pending: 5 };
const SEEN = { observed: 1 };
const UNSEEN = { observed: null };
const RULED = { put_in: 1, by_rule: 1 };
const NONE = undefined;

test('a rule takes nobody out who was never in', () => {
  expect(links.ruleLink(NONE, removes)).toBe(NONE);
});

become('a provider adds', (link) => links.writeLink(link, adds), [
  ['a new user waits', {}, { desired: 1, pending: 9 }],
  ['a member stays as it is', IN, NONE],
  ['whom a rule put in stays the rule’s', { ...IN, ...RULED }, NONE],
  ['a user who is in the list is wanted, without a call', SEEN, IN],
  ['who waits already waits for this write', COMING, { ...COMING, pending: 9 }],
  ['a rule’s becomes the provider’s', { ...COMING, by_rule: 1 }, { ...COMING, pending: 9 }],
]);
become('a provider adds, while a call may be on its way', (link) => links.writeLink(link, unsure), [
  ['a user who is in the list waits', SEEN, { ...IN, pending: 9 }],
]);
become('a provider removes', (link) => links.writeLink(link, removes), [
  ['a member waits', IN, { ...GOING, pending: 9 }],
]);
become('a rule adds', (link) => links.ruleLink(link, adds), [
  ['a new user is added', {}, { desired: 1, pending: 9, ...RULED }],
  ['who was found there was not put in', SEEN, { ...IN, by_rule: 1 }],
  ['a removal that was not sent needs no call', GOING, { ...IN, ...RULED }],
  ['who may be there waits', UNSEEN, { ...UNSEEN, desired: 1, pending: 9, ...RULED }],
  ['whom a provider named stays the provider’s', COMING, NONE],
]);
become('a rule adds, while a call may be on its way', (link) => links.ruleLink(link, unsure), [
  ['who was found there waits', SEEN, { ...IN, pending: 9, by_rule: 1 }],
]);
become('a rule ends', (link) => links.ruleLink(link, removes), [
  ['whom a provider named stays', IN, NONE],
  ['whom it put in goes', { ...IN, ...RULED }, { ...GOING, pending: 9, put_in: 1 }],
  ['who was there before it stays', { ...IN, pending: 5, by_rule: 1 }, { ...SEEN, desired: null }],
]);

const kept = (failure: typeof refused) => ({ ...GOING, failure });
const lost = { ...kept(refused), sent: 3 };
become('seen in the list', (link) => links.seeLink(link, 1), [
  ['an addition is done', COMING, IN],
  ['so it is where its own call was lost', { ...COMING, sent: 5 }, { ...IN, sent: 5 }],
  ['it waits where an earlier call was', { ...COMING, sent: 3 }, { ...IN, pending: 5, sent: 3 }],
  ['a refused removal is tried at once', kept(refused), kept({ ...refused, retryAt: 0 })],
  ['not where an earlier call was lost', lost, lost],
  ['a failed change waits', kept(failed), kept(failed)],
  ['a user whom no provider named is kept', {}, SEEN],
]);
become('not seen in the list', (link) => links.seeLink(link, 0), [
  ['a removal is done, and forgotten', GOING, NONE],
  ['it is kept while its call may take effect', { ...GOING, sent: 5 }, { ...OUT, sent: 5 }],
  ['it waits while an earlier call may', { ...GOING, sent: 3 }, { ...OUT, pending: 5, sent: 3 }],
  ['a member who is to be there is kept', IN, { desired: 1 }],
  ['a user whom no provider named is forgotten', SEEN, NONE],
]);
become('not known from the list', (link) => links.seeLink(link, null), [
  ['a removal waits on', GOING, { ...GOING, observed: null }],
]);
const lostOut = { desired: 0, sent: 3 };
become('after the last moment of a lost call', (link) => links.endDoubt(link, 9), [
  ['a difference waits', { desired: 1, sent: 3 }, { desired: 1, pending: 9 }],
  ['what waits, waits for its own write', { ...COMING, sent: 5 }, COMING],
  ['what is not ours does not wait', { ...SEEN, sent: 3 }, SEEN],
  ['who is out, and is to be, is forgotten', { ...OUT, sent: 3 }, NONE],
  ['who was never seen counts as out', { ...UNSEEN, ...lostOut }, { ...UNSEEN, desired: 0 }],
]);

const newer = { pending: 7, sent: 5 };
become('put in', (link) => links.endChange(link, { wanted: true }, 5), [
  ['the addition is done', { ...COMING, failure: failed }, { ...IN, put_in: 1 }],
  ['a newer removal waits on', { ...OUT, ...newer }, { ...GOING, put_in: 1, ...newer }],
  ['an earlier call may still undo it', { ...COMING, sent: 3 }, { ...IN, put_in: 1, sent: 0 }],
]);
become('there already', (link) => links.endChange(link, { wanted: true, madeByOthers: true }, 5), [
  ['the addition is done, and the bridge put nobody in', COMING, IN],
]);
become('taken out', (link) => links.endChange(link, { wanted: false }, 5), [
  ['the removal is done, and forgotten', { ...GOING, put_in: 1 }, NONE],
  ['an earlier call may still undo it', { ...GOING, put_in: 1, sent: 3 }, { ...OUT, sent: 0 }],
  ['a newer removal waits on', { ...GOING, pending: 7 }, { ...OUT, pending: 7 }],
  ['a member whom others took out is kept', { ...IN, pending: 5 }, { desired: 1 }],
]);

become('a refused write made it', (link) => links.revertLink(link, null, back), [
  ['what waits is forgotten', { ...COMING, pending: 9 }, NONE],
  ['what a newer write asked for stays', { ...COMING, pending: 11 }, { ...COMING, pending: 11 }],
  ['who came in goes again', IN, { ...GOING, pending: 10 }],
  ['who is not in is forgotten', { desired: 1 }, NONE],
]);
const rules = { ...links.NEW_LINK, desired: 1, by_rule: 1 };
become('a refused write took it from a rule', (link) => links.revertLink(link, rules, back), [
  ['what waits is as it was', { ...GOING, pending: 9 }, rules],
  ['who went comes again', OUT, { ...COMING, pending: 10, by_rule: 1 }],
]);
become('a refused write named it first', (link) => links.revertLink(link, links.NEW_LINK, back), [
  ['who came in stays, as nobody’s', IN, SEEN],
]);

become('its change is dropped', links.dropChange, [
  ['the service still holds what it held', COMING, { desired: 1 }],
  ['who was never seen counts as in', { ...GOING, observed: null }, { ...IN, desired: 0 }],
]);
become('the group is made anew', (link) => links.restartLink(link, 9), [
  ['a member waits', { ...IN, sent: 3 }, { ...COMING, pending: 9 }],
  ['who was to go is forgotten', GOING, NONE],
]);
become('the group is taken over', links.adoptLink, [
  ['who is seen in it is wanted', SEEN, IN],
  ['who was to go still is', GOING, GOING],
]);
become('the group is released', (link) => links.releaseLink(link, 9), [
  ['who was put in goes', { ...IN, put_in: 1 }, { ...GOING, put_in: 1, pending: 9 }],
  ['who was there before stays', IN, NONE],
  ['who may have been put in goes', COMING, { ...OUT, pending: 9 }],
]);
become('the group is not managed any more', links.disownLink, [
  ['a member is only observed', { ...IN, ...RULED }, SEEN],
  ['who is not there is forgotten', { desired: 1, ...RULED }, NONE],
]);

test('a link is told from the others of its group by its list and its user', () =>
  expect(links.toLinkText({ list: 'admin', userId: userId('u') })).toBe('admin u'));
