import { describe, expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/yardstick.ts';
import { workAtOnce } from '../../domain/turns.ts';
import type { OwnCallRow } from '../../store/audit/own-calls.ts';
import { explainByCount, listUnexplained, type NamedEvent } from './match-events.ts';

const listOthers = (...input: Parameters<typeof listUnexplained>) =>
  workAtOnce(listUnexplained(...input));
const tolerance = { beforeMs: 1_000, afterMs: 10_000, spreadMs: 1_000 };
const call = (change: Partial<OwnCallRow> = {}): OwnCallRow => ({
  id: 1,
  at: 100_000,
  kind: 'user.deactivate',
  resourceId: 'user-a',
  upstreamId: '7',
  outcome: 'done',
  ...change,
});
/** Texts that may identify users and groups. */
const toNames = (...texts: string[]) =>
  new Map(texts.map((text) => [text, new Set(['user', 'group'] as const)]));
const event = (change: Partial<NamedEvent> = {}): NamedEvent => ({
  action: 'deactivate',
  isByOthers: false,
  at: 100_500,
  names: toNames('7'),
  resourceIds: new Set(['user-a']),
  ...change,
});
const ofGroup = { names: new Map([['7', new Set(['group'] as const)]]) };
const ofUser = { names: new Map([['7', new Set(['user'] as const)]]) };
const joined = event({
  action: 'add_user',
  names: toNames('g', '7'),
  resourceIds: new Set(['group-a', 'user-a']),
});
const joins = call({ kind: 'member.add', resourceId: 'group-a', upstreamId: 'g', memberId: '7' });

const explained: { why: string; events: NamedEvent[]; calls: OwnCallRow[] }[] = [
  { why: 'a call and its event', events: [event()], calls: [call()] },
  {
    why: 'a call that was answered late',
    events: [event({ at: 110_000 })],
    calls: [call()],
  },
  { why: 'a clock that is behind ours', events: [event({ at: 99_000 })], calls: [call()] },
  {
    why: 'one call that shows as two events',
    events: [event(), event({ action: 'change_permissions' })],
    calls: [call()],
  },
  { why: 'a member who joined', events: [joined], calls: [joins] },
  {
    why: 'a creator who became admin by creating',
    events: [event({ action: 'add_admin', names: toNames(), resourceIds: new Set(['group-a']) })],
    calls: [call({ kind: 'group.create', resourceId: 'group-a' })],
  },
  {
    why: 'a person taken out of groups by being deactivated, once for each group',
    events: [
      event({ action: 'delete_user', resourceIds: new Set(['group-a', 'user-a']) }),
      event({ action: 'delete_user', resourceIds: new Set(['group-b', 'user-a']) }),
    ],
    calls: [call()],
  },
  {
    why: 'whatever a call by an operator shows as',
    events: [event(), event({ action: 'something_new' })],
    calls: [call({ kind: null, resourceId: '' })],
  },
  {
    why: 'an event that names the group only',
    events: [event({ ...joined, names: toNames('g'), resourceIds: new Set(['group-a']) })],
    calls: [joins],
  },
];

const attempt = { outcome: 'unknown' } as const;

const unexplained: { why: string; events: NamedEvent[]; calls: OwnCallRow[] }[] = [
  {
    why: 'what is known to be by somebody else',
    events: [event({ isByOthers: true })],
    calls: [call()],
  },
  { why: 'no call at all', events: [event()], calls: [] },
  { why: 'a call long before it', events: [event({ at: 110_001 })], calls: [call()] },
  { why: 'a call after it', events: [event({ at: 98_999 })], calls: [call()] },
  {
    why: 'a call for somebody else',
    events: [event()],
    calls: [call({ resourceId: 'user-b', upstreamId: '8' })],
  },
  {
    why: 'a call by an operator that named somebody else',
    events: [event()],
    calls: [call({ kind: null, resourceId: '', upstreamId: '8' })],
  },
  {
    why: 'the opposite of what was called for',
    events: [event({ action: 'activate' })],
    calls: [call()],
  },
  {
    why: 'another member of the same group',
    events: [joined],
    calls: [{ ...joins, memberId: '8' }],
  },
  {
    why: 'a group with the number of the account that the call changed',
    events: [event({ ...ofGroup, action: 'delete', resourceIds: new Set() })],
    calls: [call()],
  },
  {
    why: 'an account with the number of the group that the call removed',
    events: [event({ ...ofUser, action: 'delete', resourceIds: new Set() })],
    calls: [call({ kind: 'group.delete', resourceId: 'group-a' })],
  },
  {
    why: 'a group with the number of a member who left',
    events: [event({ ...joined, names: new Map([...toNames('g'), ...ofGroup.names]) })],
    calls: [joins],
  },
];

describe('the ledger explains', () => {
  test.each(explained)('$why', ({ events, calls }) => {
    expect(listOthers(events, calls, tolerance)).toEqual([]);
  });

  test.each(unexplained)('not $why', ({ events, calls }) => {
    expect(listOthers(events, calls, tolerance)).toEqual(events);
  });

  test('the same change twice needs two calls', () => {
    const again = event({ at: 101_000 });

    expect(listOthers([event(), again], [call()], tolerance)).toEqual([again]);
    expect(listOthers([event(), again], [call(), call({ id: 2 })], tolerance)).toEqual([]);
  });

  test('attempts whose outcome nobody knows made one change, and explain it late', () => {
    const first = event({ at: 112_000 });
    const again = event({ at: 112_500 });
    const calls = [
      call(attempt),
      call({ ...attempt, id: 2, at: 105_000 }),
      call({ id: 3, at: 108_000 }),
    ];

    expect(listOthers([first, again], calls, tolerance)).toEqual([again]);
    expect(listOthers([event({ at: 99_500 })], calls, tolerance)).toEqual([]);
  });

  test('what one call shows as is of one moment: what comes later somebody did by hand', () => {
    const byHand = event({ action: 'change_permissions', at: 102_000 });

    expect(listOthers([event(), byHand], [call()], tolerance)).toEqual([byHand]);
  });
});

/** As many calls of one group, one a second, and an event of each that names the group alone. */
function buildImport(length: number): { events: NamedEvent[]; calls: OwnCallRow[] } {
  const count = length / 50;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  return {
    calls: ids.map((id) => ({ ...joins, id, at: id * 1_000, memberId: String(id) })),
    events: ids.map((id) =>
      event({
        action: 'add_user',
        at: id * 1_000,
        names: toNames('g'),
        resourceIds: new Set(['group-a']),
      }),
    ),
  };
}

test('thousands of events of one group are compared in linear time and in pieces', () => {
  const { events, calls } = buildImport(10_000);
  const pieces = [...listUnexplained(events, calls, tolerance)];
  expect(pieces).toHaveLength(200);
  expect(Math.max(...pieces)).toBeLessThan(100);
  expect(listOthers(events, calls, tolerance)).toEqual([]);
  expect(
    measureGrowth(buildImport, (some) => void listOthers(some.events, some.calls, tolerance)),
  ).toBeLessThan(40);
});

test('thousands of events that name nothing are counted in linear time', () => {
  const count = ({ events, calls }: ReturnType<typeof buildImport>) =>
    workAtOnce(explainByCount(events, calls, { tolerance, used: new Map() }));

  expect(count(buildImport(10_000)).every(({ use }) => use !== undefined)).toBe(true);
  expect(measureGrowth(buildImport, (some) => void count(some))).toBeLessThan(40);
});
