import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type AuditWorld, behindTheBack, startAuditWorld } from '../support/audit-world.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { readMetrics } from '../support/metrics.ts';
import { type TamperedService, tamperWith, withEntries } from '../support/tampering-proxy.ts';

const PATIENT = { interval: 20, timeout: 20_000 };
const DAY_MS = 24 * 60 * 60_000;

describe('an event of the audit log that cannot be right', () => {
  let sandbox: Sandbox;
  let tampered: TamperedService;
  let world: AuditWorld;
  let leadMs = 0;
  beforeAll(async () => {
    const clock = createLeapingClock();
    sandbox = await startSandbox({ clock: () => clock.now() + leadMs });
    sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
    tampered = await tamperWith(sandbox);
    world = await startAuditWorld({ service: tampered.service, clock });
  });
  afterEach(() => tampered.setTamper(undefined));
  afterAll(async () => {
    await world.stop();
    await tampered.stop();
    await sandbox.stop();
  });

  /** Another author deactivates somebody. */
  const deactivate = (name: string) =>
    behindTheBack(world).updateUser(`${name}@example.com`, { active: false });

  const expectDeactivated = (name: string) =>
    expect
      .poll(async () => {
        await world.poll();
        return world.listDrifts();
      }, PATIENT)
      .toContain(`user.deactivated ${name}@example.com`);

  test.each([
    ['in 2099', 73 * 365 * DAY_MS],
    ['in twenty minutes', 20 * 60_000],
  ])('because it is dated %s hides no later one', async (_when, ms) => {
    const [early, late] = [`early-${ms}`, `late-${ms}`];
    for (const name of [early, late]) await world.addUser(name);
    await world.poll();
    leadMs = ms;
    deactivate(early);
    leadMs = 0;
    await world.poll();
    await world.poll(10 * 60_000);
    deactivate(late);

    await expectDeactivated(early);
    await expectDeactivated(late);
  });

  test.each([
    ['id', null],
    ['id', { a: 1 }],
    ['created', 'yesterday'],
  ])('because its %s is %j is skipped and counted', async (field, value) => {
    const mark = `${field}-${String(value).length}`;
    const [bad, good] = [`bad-${mark}`, `good-${mark}`];
    for (const name of [bad, good]) await world.addUser(name);
    await world.poll();
    const spoil = withEntries((entries) =>
      entries.map((entry) =>
        JSON.stringify(entry).includes(`${bad}@`) ? { ...Object(entry), [field]: value } : entry,
      ),
    );
    tampered.setTamper((url, body) => (url.pathname.endsWith('/audit-logs') ? spoil(body) : body));
    deactivate(bad);
    deactivate(good);

    await expectDeactivated(good);
    const metrics = await readMetrics(world, world.opsToken);
    expect(metrics.get('audit_events_total{origin="unreadable"}')).toBeGreaterThan(0);
  });

  test('because a clock was set back an hour is found all the same', async () => {
    await world.addUser('back');
    await world.poll();
    leadMs = -60 * 60_000;
    deactivate('back');
    leadMs = 0;

    await expectDeactivated('back');
  });

  test('because it has the id of an earlier one is found all the same', async () => {
    await world.addUser('anew');
    await world.poll();
    const [first] = sandbox.service.auditEvents();
    const number = withEntries((entries) =>
      entries.map((entry) =>
        JSON.stringify(entry).includes('anew@') ? { ...Object(entry), id: first?.id } : entry,
      ),
    );
    tampered.setTamper((url, body) => (url.pathname.endsWith('/audit-logs') ? number(body) : body));
    deactivate('anew');

    await expectDeactivated('anew');
  });

  test('an answer that is nested without end is unreadable, and no bug', async () => {
    const look = `/users/${await world.addUser('deep')}/look`;
    tampered.setTamper(() => `{"id":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    const answer = await world.ops('POST', '/api/users/retrieveCurrentUser', {});
    expect(answer).toMatchObject({ status: 502, body: { code: 'unreadable' } });
    expect((await world.ops('POST', look)).body).toMatchObject({ code: 'could-not-look' });
  });
});
