import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  type AuditWorld,
  type AuditWorldOptions,
  behindTheBack,
  PATIENT,
  startAuditWorld,
} from '../support/audit-world.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addGroup, addUser, addUsers, send, toMembers, toPatch } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';
import { type Tamper, type TamperedService, tamperWith } from '../support/tampering-proxy.ts';

const settings = { ...SWEEP_SETTINGS, SWEEP_INTERVAL: '30d' };
const ada = 'ada@example.com';
const setActive = (value: boolean) => ({ op: 'replace', path: 'active', value });
/** By then whoever is new in the log was found, and it is known that nobody will be. */
const SETTLED_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;

type Event = Record<string, unknown>;
/** How another service would write an event. */
type Rewrite = (event: Event) => Event;

function toTamper(rewrite: Rewrite): Tamper {
  return (url, body) =>
    url.pathname.endsWith('/audit-logs') && Array.isArray(body)
      ? body.map((event) => rewrite({ ...Object(event) }))
      : body;
}

interface Options extends Pick<AuditWorldOptions, 'settings' | 'shape'> {
  readonly rewrite?: Rewrite;
  /** The service does not tell whose token it is. */
  readonly isNameless?: true;
}

/** A bridge in front of a service whose audit log is written in another way. */
async function withLog(
  { rewrite = (event) => event, isNameless, shape, settings: others }: Options,
  run: (world: AuditWorld) => Promise<void>,
): Promise<void> {
  const clock = createLeapingClock();
  const sandbox = await startSandbox({ clock: () => clock.now(), ...(shape ? { shape } : {}) });
  sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
  if (isNameless) {
    const fault = { kind: 'status', status: 404 } as const;
    sandbox.faults.add({ operation: 'users.retrieveCurrentUser', fault });
  }
  const tampered: TamperedService = await tamperWith(sandbox);
  tampered.setTamper(toTamper(rewrite));
  const world = await startAuditWorld({
    ...{ service: tampered.service, clock },
    settings: { ...settings, ...others },
  });
  try {
    await world.poll(SETTLED_MS);
    await world.poll(HOUR_MS);
    await run(world);
  } finally {
    await world.stop();
    await tampered.stop();
    await sandbox.stop();
  }
}

async function listOrigins(world: AuditWorld, since: number, author?: string): Promise<string[]> {
  const events = world.store.read.selectFrom('audit_events').select(['action', 'origin']);
  const late = events.where('created_at', '>=', since).orderBy('created_at').orderBy('id');
  const rows = await (author ? late.where('author_username', '=', author) : late).execute();
  return rows.map(({ action, origin }) => `${action} ${origin}`).toSorted();
}

async function countSweeps({ store }: AuditWorld): Promise<number> {
  return (await store.read.selectFrom('sweeps').select('id').execute()).length;
}

for (const isNameless of [undefined, true] as const) {
  const where = isNameless ? 'which the service does not tell' : 'which the service tells';
  const options = isNameless ? { isNameless } : {};
  test(`what another author does is theirs, however near to our own call, by the account ${where}`, () =>
    withLog(options, async (world) => {
      const id = await addUser(world, 'ada');
      await addUser(world, 'bob');
      const group = await addGroup(world, 'Pilots');
      await world.poll();
      const since = world.clock.now();
      world.sandbox.calls.reset();
      const joining = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
      await send(world, 'PATCH', `/Groups/${group}`, joining);
      behindTheBack(world).setActive(ada, false);
      behindTheBack(world).setActive(ada, true);
      behindTheBack(world).removeMember('Pilots', ada);
      behindTheBack(world).addMember('Pilots', ada);
      await world.poll();

      expect(await listOrigins(world, since, 'admin')).toEqual([
        'activate foreign',
        'add_user foreign',
        'deactivate foreign',
        'delete_user foreign',
      ]);
      expect(await listOrigins(world, since)).toContain('add_user ours');
      expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBeGreaterThan(0);
    }));
}

test('what another author does within seconds of our own call is theirs in differences, plans and the past', () =>
  withLog(
    { settings: { DRIFT_POLICY: '{"member.added":"repair"}', LIMITS_REMOVE_MEMBER_COUNT: '1' } },
    async (world) => {
      const [id, ...others] = await addUsers(world, 3);
      const group = await addGroup(world, 'Pilots');
      await world.poll(SETTLED_MS);
      const joining = toPatch({ op: 'add', path: 'members', value: toMembers([id ?? '']) });
      await send(world, 'PATCH', `/Groups/${group}`, joining);
      await send(world, 'PATCH', `/Users/${id}`, toPatch(setActive(false)));
      await send(world, 'PATCH', `/Users/${id}`, toPatch(setActive(true)));
      const admin = behindTheBack(world);
      admin.setActive('person1@example.com', false);
      for (const name of ['person2', 'person3']) admin.addMember('Pilots', `${name}@example.com`);
      await world.poll();
      const { planId } = await sweep(world);
      const listDrifts = async () => (await askOps(world, 'GET', '/drifts?status=open')).body.items;
      const { body: plan } = await askOps(world, 'GET', `/plans/${planId}/actions`);
      const pasts = [
        await askOps(world, 'GET', `/users/${id}/timeline`),
        await askOps(world, 'GET', `/groups/${group}/timeline`),
      ].map(({ text }) => text);

      const who = { username: 'admin', address: '198.51.100.7' };
      expect(others).toHaveLength(2);
      expect(await listDrifts()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            kind: 'user.deactivated',
            who: expect.objectContaining(who),
          }),
        ]),
      );
      expect(plan.items).toMatchObject([
        { kind: 'member.remove', who: { by: 'admin' } },
        { kind: 'member.remove', who: { by: 'admin' } },
      ]);
      for (const text of pasts) expect(text).toContain('admin');
      const origins = await listOrigins(world, 0, 'admin');
      expect(origins.filter((one) => !one.endsWith(' foreign'))).toEqual([]);
    },
  ));

test('what somebody does with the token of the bridge, a little after a call of it, is theirs', () =>
  withLog({}, async (world) => {
    await addUser(world, 'ada');
    const since = world.clock.now();
    await world.poll(23_000);
    world.sandbox.service.renameUser(ada, 'Somebody Else');
    world.sandbox.service.setActive(ada, false);
    world.sandbox.service.setActive(ada, true);
    await world.poll();

    const late = await listOrigins(world, since + 20_000);
    expect(late).toHaveLength(3);
    expect(late.filter((one) => !one.endsWith('foreign'))).toEqual([]);
  }));

const idOf = ({ details }: Event) => Object(details).user_id ?? Object(details).group_id;
const isOfGroup = ({ category }: Event) => category === 'group_management';
const toWords = (event: Event) => (isOfGroup(event) ? 'group' : 'user');
const past: Readonly<Record<string, string>> = {
  invite: 'created',
  activate: 'enabled',
  deactivate: 'disabled',
  create: 'created',
  delete: 'deleted',
  add_user: 'memberAdded',
  delete_user: 'memberRemoved',
};
/** One word for what the log of the sandbox calls differently. */
const toVerb = ({ action }: Event) => past[String(action)] ?? String(action);

const shapes: readonly { readonly why: string; readonly rewrite: Rewrite }[] = [
  {
    why: 'user.created, under categories of no document',
    rewrite: (event) => ({
      ...event,
      category: 'directory',
      action: `${toWords(event)}.${toVerb(event)}`,
    }),
  },
  {
    why: 'create under user, with an id alone',
    rewrite: (event) =>
      isOfGroup(event) || event.action !== 'invite'
        ? event
        : { ...event, category: 'user', action: 'create', details: { id: idOf(event) } },
  },
  {
    why: 'userCreated, with details as text',
    rewrite: (event) => ({
      ...event,
      category: 'x',
      action: `${toWords(event)}_${toVerb(event)}`.replace(/_(.)/g, (_, c) => c.toUpperCase()),
      details: JSON.stringify(event.details),
    }),
  },
];

for (const { why, rewrite } of shapes) {
  test(`our own changes cause neither looks nor sweeps where the log says ${why}`, () =>
    withLog({ rewrite }, async (world) => {
      const before = await countSweeps(world);
      const since = world.clock.now();
      const ids = await addUsers(world, 3);
      const group = await addGroup(world, 'Pilots', ids);
      const disable = toPatch({ op: 'replace', path: 'active', value: false });
      await send(world, 'PATCH', `/Users/${ids[0]}`, disable);
      await send(world, 'DELETE', `/Groups/${group}`);
      await world.poll();
      world.sandbox.calls.reset();
      await world.poll(SETTLED_MS);
      await world.poll(HOUR_MS);

      const origins = await listOrigins(world, since);
      expect(origins.length).toBeGreaterThan(5);
      expect(origins.filter((one) => !one.endsWith(' ours'))).toEqual([]);
      expect(await countSweeps(world)).toBe(before);
      expect(world.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(0);
    }));
}

const deletions: readonly { readonly why: string; readonly rewrite: Rewrite }[] = [
  {
    why: 'delete under user_management with an id',
    rewrite: (event) => ({ ...event, action: 'delete', details: { id: idOf(event) } }),
  },
  {
    why: 'user.deleted with an object',
    rewrite: (event) => ({
      ...event,
      category: 'x',
      action: 'user.deleted',
      details: { target: { type: 'user', id: idOf(event) } },
    }),
  },
  {
    why: 'a message alone',
    rewrite: (event) => ({
      ...event,
      action: 'removed',
      details: null,
      message: `User Ada Example (${ada}) was deleted`,
    }),
  },
  {
    why: 'the name of the person in a message, without quotes',
    rewrite: (event) => ({ ...event, details: null, message: `Deleted account ${ada}.` }),
  },
];

for (const { why, rewrite } of deletions) {
  test(`a person who was deleted is found by a look, and no sweep, where the log has ${why}`, () => {
    let isDeleted = false;
    const late: Rewrite = (event) =>
      isDeleted && event.action === 'depersonalization' ? rewrite(event) : event;
    return withLog({ rewrite: late }, async (world) => {
      const { service } = world.sandbox;
      service.addUser({ email: ada, userName: ada, fullName: 'Ada Example', virtual: true });
      await addUser(world, 'ada');
      await world.poll(SETTLED_MS);
      await world.poll(HOUR_MS);
      const before = await countSweeps(world);
      isDeleted = true;
      behindTheBack(world).removeUser(ada);
      await world.poll();
      const listMissing = async () =>
        (await askOps(world, 'GET', '/drifts?kind=user.missing')).body.items;
      await expect.poll(listMissing, PATIENT).toHaveLength(1);

      expect(await listMissing()).toMatchObject([
        { resource: { name: ada }, who: { username: 'admin' } },
      ]);
      expect(await countSweeps(world)).toBe(before);
    });
  });
}
