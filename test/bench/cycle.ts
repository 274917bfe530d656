import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { admit, replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { startBridge } from '../support/server.ts';

/**
 * `node test/bench/cycle.ts [--people 5000] [--groups 200] [--okta]`: replays the first cycle of Entra, or an import of Okta,
 * against a service that takes five calls a second. In the middle of it 50 people leave. Prints how long requests took, how
 * long leavers had access, and the calls. Each person is in four groups.
 */
const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '5000' },
    groups: { type: 'string', default: '200' },
    okta: { type: 'boolean', default: false },
  },
});
const [people, groups] = [Number(values.people), Number(values.groups)];
/** Entra sends eight requests at a time and 20 members in each; Okta two, and as many members as there are. */
const { lanes, members } = values.okta ? { lanes: 2, members: 1_000 } : { lanes: 8, members: 20 };
const LEAVERS = 50;
const GROUPS_OF_ONE = 4;
/** Quiet time after which nothing waits any more, in milliseconds: a look proves each leaver five seconds later. */
const QUIET_MS = 10_000;

const TOKEN = 'the-token-of-the-benchmark';
const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-cycle-'));
const sandbox = await startSandbox({ seed: { users: 20, groups: 0 } });
sandbox.faults.requestsPerSecond = 5;
const env = { UPSTREAM_URL: sandbox.url, UPSTREAM_TOKEN: sandbox.token, SCIM_TOKENS: TOKEN };
const bridge = await startBridge({ folder, env });
await bridge.ready();
const { send } = toRequester({ ...bridge, token: TOKEN });
sandbox.calls.reset();

const timesMs = new Map<string, number[]>();
const note = (kind: string, ms: number) => timesMs.set(kind, [...(timesMs.get(kind) ?? []), ms]);

async function ask(kind: string, ...request: Parameters<typeof send>) {
  const sentAt = performance.now();
  const answer = await send(...request);
  if (answer.status >= 400) throw new Error(`${kind} was answered ${answer.status}`);
  note(kind, performance.now() - sentAt);
  return String(answer.body.id);
}

/** Does something for each number below `count`, as many at a time as the provider has requests on their way. */
async function inLanes(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** One after the other, as a provider sends them. */
async function leave(ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const askedAt = performance.now();
    await ask('PATCH of a leaver', 'PATCH', `/Users/${id}`, toPatch(replace('active', false)));
    while (sandbox.service.findUser(`p${index}@example.com`)?.active !== false) await sleep(10);
    note('until a leaver is out', performance.now() - askedAt);
  }
}

/** Calls but those for the audit log, which is read all the time. */
function countCalls(): number {
  const { 'auditLogs.retrieveAuditLogEvents': audit = {} } = sandbox.calls.counts();
  return sandbox.calls.count() - Object.values(audit).reduce((sum, count) => sum + count, 0);
}

try {
  const begunAt = performance.now();
  const ids: string[] = [];
  let leaving: Promise<void> | undefined;
  await inLanes(people, async (index) => {
    const filter = encodeURIComponent(`userName eq "p${index}@example.com"`);
    await ask('GET by userName', 'GET', `/Users?filter=${filter}`);
    const person = toUser(`p${index}`, { externalId: `x${index}` });
    ids[index] = await ask('POST of a person', 'POST', '/Users', person);
    if (index === Math.floor(people / 2)) leaving = leave(ids.slice(0, LEAVERS));
  });
  await inLanes(groups, async (index) => {
    const filter = encodeURIComponent(`displayName eq "Team ${index}"`);
    await ask('GET by displayName', 'GET', `/Groups?excludedAttributes=members&filter=${filter}`);
    const id = await ask('POST of a group', 'POST', '/Groups', toGroup(`Team ${index}`));
    const size = Math.floor((GROUPS_OF_ONE * people) / groups);
    const all = Array.from({ length: size }, (_, place) => ids[(index + place * groups) % people]);
    for (let first = 0; first < size; first += members) {
      const some = all.slice(first, first + members).map(String);
      await ask('PATCH of members', 'PATCH', `/Groups/${id}`, toPatch(admit(...some)));
    }
  });
  await leaving;
  const sentAt = performance.now();
  for (let calls = -1; calls !== countCalls(); ) {
    calls = countCalls();
    await sleep(QUIET_MS);
  }
  const toSeconds = (ms: number) => Math.round(ms / 1_000);
  console.log(`${people} people, ${groups} groups, ${values.okta ? 'Okta' : 'Entra'}:`);
  console.log(`sent in ${toSeconds(sentAt - begunAt)} s, in the service after`);
  console.log(`${toSeconds(performance.now() - begunAt - QUIET_MS)} s.\n`);
  console.log('| | number | p50 ms | p95 ms | p99 ms |\n|---|--:|--:|--:|--:|');
  for (const [kind, all] of timesMs) {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.ceil(share * all.length) - 1] ?? 0);
    console.log(`| ${kind} | ${all.length} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} |`);
  }
  console.log('\nCalls:', JSON.stringify(sandbox.calls.counts()));
} finally {
  await bridge.stop();
  await sandbox.stop();
  rmSync(folder, { recursive: true });
}
