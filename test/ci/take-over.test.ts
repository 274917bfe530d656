import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { HANGING } from '../support/faults.ts';
import { replace, toUser } from '../support/provider.ts';
import type { Life } from '../support/site.ts';
import { openSite, readReady } from '../support/site.ts';
import { runStatement } from '../support/store-templates.ts';
import { describePostgres } from '../support/take-store.ts';

const TIMEOUT_S = 2;
const RATE = 5;

describePostgres('a leader', ({ makeUrl }) => {
  async function startPair(env: Readonly<Record<string, string>> = {}) {
    const url = await makeUrl();
    const { sandbox, start } = await openSite({
      env: {
        DATABASE_URL: url,
        UPSTREAM_TIMEOUT: `${TIMEOUT_S}s`,
        SCIM_WRITE_WAIT: '0',
        AUDIT_POLL_INTERVAL: '0',
        SWEEP_INTERVAL: '0',
        ...env,
      },
    });
    return { url, sandbox, leader: await start(), successor: await start() };
  }

  test('that is killed leaves its work to another process within seconds, also where the clock of PostgreSQL was set back, which sends nothing before its last call has ended', async () => {
    const { url, sandbox, leader, successor } = await startPair();
    const ada = await leader.settled(leader.addUser('ada'));
    sandbox.calls.reset();
    const change = sandbox.faults.add({ operation: 'scim.updateUser', fault: HANGING });
    const page = sandbox.faults.add({ operation: 'scim.getUsers', fault: HANGING });
    await leader.tryPatch(`/Users/${ada}`, replace('name.familyName', 'King'));
    await change.until(1);
    await leader.ops('POST', '/sweeps', {});
    await page.until(1);

    await leader.kill();
    const ahead = ['expires_at', 'quiet_at'].map((name) => `${name} = ${name} + 3600000`);
    await runStatement(url, `update leader set ${ahead}`);
    const killedAt = performance.now();
    change.remove();
    page.remove();
    sandbox.faults.release();
    const sinceKilled = () => performance.now() - killedAt;
    const [lookMs, sweepMs] = await Promise.all([
      sandbox.calls.until(1, { operation: 'scim.getUser' }).then(sinceKilled),
      sandbox.calls.until(2, { operation: 'scim.getUsers' }).then(sinceKilled),
    ]);
    await expect
      .poll(() => successor.listOps('/sweeps?limit=1'), { timeout: 10_000 })
      .toMatchObject([{ status: 'complete' }]);

    expect(Math.min(lookMs, sweepMs)).toBeGreaterThan(TIMEOUT_S * 1_000);
    await expect
      .poll(() => sandbox.service.getUser('ada@example.com').fullName, { timeout: 5_000 })
      .toBe('Ada King');
    expect(await readLeader(successor)).toMatchObject(SECOND);
    expect(successor.output()).toContain('this process leads from now on');
  });

  test('that stands still costs writers of other processes their own wait within its five seconds and nothing later, and sends nothing when it goes on', async () => {
    const { sandbox, leader, successor } = await startPair({
      SCIM_WRITE_WAIT: '8s',
      UPSTREAM_REQUESTS_PER_SECOND: String(RATE),
    });
    await successor.request('POST', '/Users', toUser('first'));
    await leader.untilSettled();
    leader.freeze();
    const tookMs: number[] = [];
    const names = Array.from({ length: 8 }, (_, n) => `person${n}`);
    for (const name of names) {
      const askedAt = performance.now();
      const { status } = await successor.request('POST', '/Users', toUser(name));
      tookMs.push(performance.now() - askedAt);
      expect(status).toBe(201);
    }
    await expect.poll(() => readLeader(successor), { timeout: 30_000 }).toMatchObject(SECOND);
    leader.goOn();
    await untilCreated(sandbox, names);
    await successor.untilSettled();

    // The first one waits as long as it may; the lead has passed on by then.
    expect(Math.max(...tookMs)).toBeLessThan(10_000);
    expect(Math.max(...tookMs.slice(1))).toBeLessThan(2_000);
    expect(listTwice(sandbox)).toEqual([]);
    expect(findBusiest(sandbox)).toBeLessThanOrEqual(RATE);
    expect(leader.output()).toContain('"how":"lost"');
  });
});

const SECOND = { isSelf: true, epoch: 2 };

async function untilCreated({ service }: Sandbox, names: readonly string[]): Promise<void> {
  const find = (name: string) => service.findUser(`${name}@example.com`) !== undefined;
  await expect.poll(() => names.filter((name) => !find(name)), { timeout: 30_000 }).toEqual([]);
}

function listTwice({ service }: Sandbox): string[] {
  const emails = service.users().map(({ email }) => email);
  return emails.filter((email, place) => emails.indexOf(email) !== place);
}

function findBusiest({ calls }: Sandbox): number {
  const times = calls.recent().map(({ at }) => at);
  // What arrives within a second may have left in a little more.
  const counts = times.map((from) => times.filter((at) => at >= from && at < from + 950).length);
  return Math.max(...counts);
}

const readLeader = async (life: Life) => (await readReady(life)).body.leader;
