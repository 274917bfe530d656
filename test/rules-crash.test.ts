import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../src/sandbox/sandbox.ts';
import { addGroup, addUser, type Requester, send, toMembers, toPatch } from './support/provider.ts';
import { toRequester } from './support/send-raw.ts';
import { type BridgeProcess, startBridge } from './support/server.ts';

/** How many writes are acknowledged before each kill, in the middle of whatever else is under way. */
const ACKNOWLEDGED_PER_LIFE = [7, 25, 40, 13, 31];
const WRITERS = 6;
/** Six processes start one after another, which takes its time where others are at work. */
const SIX_LIVES_MAX_MS = 60_000;

/** What was acknowledged, and so has to become true. */
class Acknowledged {
  /** Whether the person is active, by the name that tests use. */
  readonly people = new Map<string, boolean>();
  /** The only member of each group, by the name of the group. */
  readonly groups = new Map<string, string>();
  /** Members of the group Everybody. */
  readonly members = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #count = 0;

  note(what: () => void): void {
    what();
    this.#count += 1;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when that many more writes were acknowledged. */
  async more(writes: number): Promise<void> {
    const goal = this.#count + writes;
    while (this.#count < goal) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
      this.#waiting.clear();
    }
  }
}

interface Writer {
  readonly bridge: Requester;
  readonly acknowledged: Acknowledged;
  readonly everybody: string;
  readonly name: string;
}

/** One thing after another, until the bridge is gone. @throws Error of the connection, or of an answer that is not 2xx */
async function writeUntilGone(writer: Writer): Promise<never> {
  const { bridge, acknowledged, everybody } = writer;
  const { people, groups, members } = acknowledged;
  for (let turn = 1; ; turn += 1) {
    const name = `${writer.name}-${turn}`;
    const id = await addUser(bridge, name);
    acknowledged.note(() => people.set(name, true));
    await addGroup(bridge, `Friends of ${name}`, [id]);
    acknowledged.note(() => groups.set(`Friends of ${name}`, name));
    const join = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
    await send(bridge, 'PATCH', `/Groups/${everybody}`, join);
    acknowledged.note(() => members.add(name));
    people.delete(name); // Either may be true until the answer is there.
    const disable = toPatch({ op: 'replace', path: 'active', value: false });
    await send(bridge, 'PATCH', `/Users/${id}`, disable);
    acknowledged.note(() => people.set(name, false));
  }
}

/** What was acknowledged and is not true in the service, in words. */
function listBroken({ service }: Sandbox, { people, groups, members }: Acknowledged): string[] {
  const toAddress = (name: string) => `${name}@example.com`;
  const everybody = new Set(service.members('Everybody'));
  return [
    ...[...people].flatMap(([name, active]) =>
      service.findUser(toAddress(name))?.active === active ? [] : [`${name} active: ${active}`],
    ),
    ...[...groups].flatMap(([group, name]) =>
      service.findGroup(group) && service.members(group).includes(toAddress(name)) ? [] : [group],
    ),
    ...[...members].flatMap((name) =>
      everybody.has(toAddress(name)) ? [] : [`${name} in Everybody`],
    ),
  ];
}

test(
  'what was answered with 2xx survives kill -9, five times over, becomes true, and nothing exists twice',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-crash-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // A service that would take the same group twice.
    const sandbox = await startSandbox({ shape: { uniqueGroupNames: 'nowhere' } });
    onTestFinished(() => sandbox.stop());
    sandbox.faults.add({ operation: '*', fault: { kind: 'delay', delayMs: 3 } });
    const acknowledged = new Acknowledged();
    let everybody: string | undefined;

    for (const [life, writes] of ACKNOWLEDGED_PER_LIFE.entries()) {
      const process = await startAgain(folder, sandbox);
      const bridge = toRequester(process);
      everybody ??= await addGroup(bridge, 'Everybody');
      const writers = Array.from({ length: WRITERS }, (_, index) =>
        writeUntilGone({
          bridge,
          acknowledged,
          everybody: everybody ?? '',
          name: `life${life}-writer${index}`,
        }),
      );
      const ends = Promise.allSettled(writers);
      await Promise.race([acknowledged.more(writes), Promise.race(writers)]);
      await process.kill();
      expectNoAnswerButSuccess(await ends);
      // Every call was written down before it left, so a crash never looks like a restored backup.
      expect(process.output()).not.toContain('"phase":"stale"');
    }

    await startAgain(folder, sandbox);
    await expect
      .poll(() => listBroken(sandbox, acknowledged), { interval: 20, timeout: 10_000 })
      .toEqual([]);
    const names = sandbox.service.groups().map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(acknowledged.people.size).toBeGreaterThan(20);
  },
  SIX_LIVES_MAX_MS,
);

async function startAgain(folder: string, sandbox: Sandbox): Promise<BridgeProcess> {
  const env = {
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SCIM_TOKENS: 'token-of-a-provider',
  };
  const bridge = await startBridge({ folder, env });
  onTestFinished(() => bridge.kill());
  await bridge.ready();
  return bridge;
}

/** Writers end with their connection, never with an answer that refuses. */
function expectNoAnswerButSuccess(ends: readonly PromiseSettledResult<never>[]): void {
  const reasons = ends.map((end) => (end.status === 'rejected' ? String(end.reason) : ''));
  expect(reasons.filter((reason) => reason.includes('was answered with'))).toEqual([]);
}
