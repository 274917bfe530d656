import { expect, test } from 'vitest';
import { TEST_POLICY } from '../../../test/support/converge-host.ts';
import { createLeapingClock } from '../../../test/support/leaping-clock.ts';
import { addGroup, addUser } from '../../../test/support/rows.ts';
import { logStatements } from '../../../test/support/statements.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { DriftKind } from '../../domain/drift.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject } from '../../domain/json.ts';
import { insertDrifts } from '../../store/drifts.ts';
import type { NewGroupRow } from '../../store/groups/groups.ts';
import { saveLinks } from '../../store/links/links.ts';
import type { Store } from '../../store/store.ts';
import type { NewUserRow } from '../../store/users/users.ts';
import { createWriteFollower } from './follow-writes.ts';

const clock = createLeapingClock();
/** Columns of a row that was just written. */
const justNow = () => ({ modified_at: clock.now() });

/** Follows the writes, and returns the status of the only drift. */
async function follow(store: Store): Promise<string | undefined> {
  const events = { plan: () => undefined };
  await createWriteFollower({ store, clock, events, policy: TEST_POLICY }).run();
  const [drift] = await store.read.selectFrom('drifts').select('status').execute();
  return drift?.status;
}

interface Found {
  readonly kind: DriftKind;
  readonly id: string;
  readonly memberId?: string;
  readonly observed: JsonObject;
}

async function addDrift(store: Store, { kind, id, memberId = '', observed }: Found) {
  const type = kind.startsWith('user') ? ('user' as const) : ('group' as const);
  const difference = { kind, type, resourceId: id, memberId, desired: {}, observed };
  const finding = { detector: 'sweep', now: clock.now() } as const;
  await store.write((tx) => insertDrifts(tx, [difference], finding));
}

const unlicensed = { fullName: 'Ada', active: true, at: 1, by: 'scim.getUser' };
const held = { ...unlicensed, appsPermissions: 2 };
const userCases: { why: string; held: JsonObject; row?: Partial<NewUserRow>; want: string }[] = [
  { why: 'the service holds what is wanted', held, want: 'gone' },
  { why: 'the service holds something else', held: { ...held, appsPermissions: 4 }, want: 'open' },
  { why: 'a look is due', held, row: { must_look: 1 }, want: 'open' },
  { why: 'a call is on its way', held, row: { in_flight: 1 }, want: 'open' },
  { why: 'a call may still take effect', held, row: { unsure_since: 1 }, want: 'open' },
  { why: 'something waits', held, row: { cells: '{"name":{"pending":1}}' }, want: 'open' },
  { why: 'it is due', held, row: { due_at: 1 }, want: 'open' },
  { why: 'nobody knows the licence', held: unlicensed, want: 'open' },
];

const group = { displayName: 'Pilots', at: 1, by: 'scim.getGroup' };
const linkCases: {
  why: string;
  desired: number;
  observed: number | null;
  held?: JsonObject;
  want: string;
}[] = [
  { why: 'the member is not there', desired: 0, observed: 0, want: 'gone' },
  { why: 'the member is wanted', desired: 1, observed: 1, want: 'gone' },
  { why: 'the member is there', desired: 0, observed: 1, want: 'open' },
  { why: 'nobody knows', desired: 0, observed: null, want: 'open' },
  {
    why: 'answers disagreed about the members',
    ...{ desired: 0, observed: 0, held: { ...group, staleAt: 1 }, want: 'open' },
  },
];

/** Only the member was written. */
const memberCases: { why: string; active: boolean; row?: Partial<NewUserRow>; want: string }[] = [
  { why: 'the member is not to work any more', active: false, want: 'gone' },
  { why: 'the member is to work', active: true, want: 'open' },
  { why: 'something of the member waits', active: false, row: { due_at: 1 }, want: 'open' },
];

describeStores('after a write a drift', ({ makeStore }) => {
  test.each(userCases)('is $want where $why', async ({ held: observed, row, want }) => {
    const store = await makeStore();
    const wanted = { doc: { active: true, [USER_EXTENSION]: { appsPermissions: 2 } } };
    const seen = { upstream_id: 7, observed: JSON.stringify(observed) };
    const { id } = await addUser(store, { ...wanted, ...seen, ...row, ...justNow() });
    await addDrift(store, { kind: 'user.access', id, observed: { appsPermissions: 4 } });

    expect(await follow(store)).toBe(want);
  });

  test('is open where nothing was ever seen of the account', async () => {
    const store = await makeStore();
    const { id } = await addUser(store, { upstream_id: 7, doc: { active: true }, ...justNow() });
    await addDrift(store, { kind: 'user.deactivated', id, observed: { active: false } });

    expect(await follow(store)).toBe('open');
  });

  test.each(linkCases)('of a member is $want where $why', async (row) => {
    const store = await makeStore();
    const user = await addUser(store, { upstream_id: 7, doc: { active: true } });
    const seen: Partial<NewGroupRow> = {
      upstream_scim_id: 'g',
      observed: JSON.stringify(row.held ?? group),
    };
    const { id } = await addGroup(store, { ...seen, doc: { displayName: 'Pilots' }, ...justNow() });
    const { desired, observed } = row;
    const link = { userId: user.id, desired, observed, pending: null };
    await store.write((tx) => saveLinks(tx, 'memberships', id, [link]));
    const found = { id, memberId: user.id, observed: { present: true } };
    await addDrift(store, { kind: 'member.added', ...found });

    expect(await follow(store)).toBe(row.want);
  });

  test.each(memberCases)('of a member is $want where $why', async ({ active, row, want }) => {
    const store = await makeStore();
    const written = { upstream_id: 7, doc: { active }, observed: JSON.stringify(held), ...row };
    const user = await addUser(store, { ...written, ...justNow() });
    const seen = { upstream_scim_id: 'g', observed: JSON.stringify(group) };
    const { id } = await addGroup(store, { ...seen, doc: { displayName: 'Pilots' } });
    const link = { userId: user.id, desired: 1, observed: 0, pending: null };
    await store.write((tx) => saveLinks(tx, 'memberships', id, [link]));
    const found = { id, memberId: user.id, observed: { present: false } };
    await addDrift(store, { kind: 'member.removed', ...found });

    expect(await follow(store)).toBe(want);
  });

  test('is looked for once, and nobody is listed, where there is none', async () => {
    const { store, log } = logStatements(await makeStore());
    await addUser(store, { doc: { active: true }, ...justNow() });
    log.reset();

    await follow(store);

    expect(log.reads.filter((sql) => !sql.startsWith('select "status"'))).toHaveLength(1);
  });
});
