import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { findLongTurns } from '../fuzz/turn-limit.ts';
import type { TestAnswer } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  send,
  toGroup,
  toMembers,
  toPatch,
  toUser,
} from '../support/provider.ts';
import { sendRaw, toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { withSlowness } from '../support/yardstick.ts';

/**
 * Of the bridge's own thread, on the machine on which this was measured. A slower or a busier one may take as many times
 * longer as it takes longer for a fixed yardstick, measured before and after.
 */
const TURN_MAX_MS = 50;
/** A busy machine makes a turn longer now and then; work that is too much is so each time. */
const NOISY = { retry: 2 };

let folder: string;
let sandbox: Sandbox;
let bridge: BridgeProcess;
let provider: ReturnType<typeof toRequester>;
let named = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scim-bridge-work-'));
  sandbox = await startSandbox({ seed: { users: 10, groups: 2 } });
  bridge = await startBridge({
    folder,
    command: ['--import', './test/fuzz/probe.ts', 'src/cli/bin.mjs', 'serve'],
    env: {
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_REQUESTS_PER_SECOND: '0',
      SCIM_TOKENS: 'token-of-a-provider-of-work',
      SCIM_REQUESTS_PER_SECOND: '0',
      SCIM_WRITE_WAIT: '20ms',
      // Whatever the machine is busy with, nothing is turned away here.
      SERVER_DELAY_MAX: '0',
      PROBE_TURN_MAX_MS: String(TURN_MAX_MS),
    },
  });
  await bridge.ready();
  provider = toRequester(bridge);
  // What runs for the first time is compiled in its turn.
  for (let index = 0; index < 20; index += 1) await addUser(provider, `warm${index}`);
});

afterAll(async () => {
  await bridge.kill();
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Does something, asking /healthz all the time, and gives the turns that took too long, in milliseconds. */
async function watch<T>(run: () => Promise<T>): Promise<{ result: T; longTurns: string[] }> {
  const { length } = bridge.output();
  const health = new URL('/healthz', bridge.baseUrl);
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const { statusCode, body } = await request(health);
      await body.dump();
      expect(statusCode).toBe(200);
      await sleep(5);
    }
  })();
  try {
    const { result, slowness } = await withSlowness(async () => {
      const ran = await run();
      // What is done behind the answer counts too.
      await sleep(100);
      return ran;
    });
    const longTurns = findLongTurns(bridge.output().slice(length), TURN_MAX_MS * slowness.thread);
    return { result, longTurns };
  } finally {
    isOver = true;
    await asking;
  }
}

async function makeUser(change: JsonObject = {}): Promise<{ id: string; path: string }> {
  named += 1;
  const id = await addUser(provider, `work${named}`, change);
  return { id, path: `/Users/${id}` };
}

const roles = (count: number): JsonValue[] =>
  many(count, (index) => ({ value: `role${index}`, type: 'work' }));
const address = (index: number): JsonObject => ({ type: 'work', streetAddress: `Road ${index}` });

/** Why; somebody as before; the operations; how it is answered, and what is there in the end. */
interface PatchCase {
  readonly why: string;
  readonly before?: JsonObject;
  readonly operations: JsonObject[];
  readonly status: number;
  readonly scimType?: string;
  readonly lengths?: Record<string, number>;
}

const patches: readonly PatchCase[] = [
  {
    why: '1,000 roles are added one by one',
    operations: many(1_000, (index) => ({
      op: 'add',
      path: 'roles',
      value: [{ value: `r${index}` }],
    })),
    status: 200,
    lengths: { roles: 1_000 },
  },
  {
    why: '1,000 roles are removed one by one by their value',
    before: { roles: roles(1_000) },
    operations: many(1_000, (index) => ({
      op: 'remove',
      path: 'roles',
      value: [{ value: `role${index}` }],
    })),
    status: 200,
    lengths: { roles: 0 },
  },
  {
    why: 'an address that is there is added 1,000 times to 900',
    before: { addresses: many(900, address) },
    operations: many(1_000, (index) => ({
      op: 'add',
      path: 'addresses',
      value: address(index % 900),
    })),
    status: 200,
    lengths: { addresses: 900 },
  },
  {
    why: '20 values that are not there are removed 1,000 times',
    before: { roles: roles(1_000) },
    operations: many(1_000, (index) => ({
      op: 'remove',
      path: 'roles',
      value: many(20, (other) => ({ value: `${index}-${other}` })),
    })),
    status: 200,
    lengths: { roles: 1_000 },
  },
  {
    why: 'each of 900 values has a filter of its own as a key',
    before: { roles: roles(900) },
    operations: [
      {
        op: 'replace',
        value: Object.fromEntries(
          many(900, (index) => [`roles[value eq "role${index}"].display`, `D${index}`]),
        ),
      },
    ],
    status: 200,
    lengths: { roles: 900 },
  },
  {
    why: 'a use that all of 1,000 values have is named 1,000 times',
    before: { roles: roles(1_000) },
    operations: many(1_000, (index) => ({
      op: 'replace',
      path: 'roles[type eq "work"].display',
      value: `D${index}`,
    })),
    status: 400,
    scimType: 'invalidValue',
    lengths: { roles: 1_000 },
  },
  {
    why: 'a long text is written into 1,000 values',
    before: { roles: roles(1_000) },
    operations: [{ op: 'replace', path: 'roles.display', value: 'x'.repeat(200_000) }],
    status: 400,
    scimType: 'invalidValue',
    lengths: { roles: 1_000 },
  },
  {
    why: 'a text of half a megabyte',
    operations: [{ op: 'replace', path: 'title', value: 'x'.repeat(500_000) }],
    status: 400,
    scimType: 'invalidValue',
  },
  {
    why: '20,000 operations that say nothing',
    operations: many(20_000, () => ({ op: 'add', path: 'urn:x:y', value: 1 })),
    status: 200,
  },
];

describe('whatever a PATCH asks for, others are served in between', () => {
  for (const { why, before, operations, status, scimType, lengths = {} } of patches) {
    test(why, NOISY, async () => {
      const { path } = await makeUser(before);
      const { text } = await send(provider, 'GET', path);

      const { result, longTurns } = await watch(() =>
        provider.request('PATCH', path, toPatch(...operations)),
      );

      expect(toOutcome(result)).toEqual({ status, scimType });
      expect(longTurns).toEqual([]);
      const after = await send(provider, 'GET', path);
      if (status === 400) expect(after.text === text).toBe(true);
      for (const [name, length] of Object.entries(lengths)) {
        expect([name, countOf(after, name)]).toEqual([name, length]);
      }
    });
  }
});

/** What of an answer is short enough to be shown. */
function toOutcome({ status, body }: TestAnswer) {
  return { status, scimType: body.scimType };
}

function countOf({ body }: TestAnswer, name: string): number {
  const value = body[name];
  return Array.isArray(value) ? value.length : 0;
}

describe('whatever a body holds, others are served in between', () => {
  const list = (part: string, bytes: number) =>
    `[${many(Math.floor(bytes / (part.length + 1)), () => part).join(',')}]`;
  const bodies: { why: string; parts: () => string; status: number }[] = [
    { why: 'objects of one name', parts: () => list('{"a":1}', 790_000), status: 201 },
    {
      why: 'numbers',
      parts: () => [1, 2, 3, 4].map(() => list('1', 190_000)).join(',"b":'),
      status: 201,
    },
    {
      why: 'more objects than a body may have',
      parts: () => ['{}', '{}'].map((part) => list(part, 290_000)).join(',"b":'),
      status: 400,
    },
    {
      why: 'more lists than a body may have',
      parts: () => ['[]', '[]'].map((part) => list(part, 290_000)).join(',"b":'),
      status: 400,
    },
    {
      why: 'more different names than a body may have',
      parts: () => `[${many(60_000, (index) => `{"${index}k":1}`).join(',')}]`,
      status: 400,
    },
  ];
  for (const { why, parts, status } of bodies) {
    test(why, NOISY, async () => {
      named += 1;
      const rest = JSON.stringify(toUser(`body${named}`)).slice(1);

      const { result, longTurns } = await watch(() =>
        sendRaw(bridge, { method: 'POST', path: '/Users', body: `{"a":${parts()},${rest}` }),
      );

      expect(toOutcome(result)).toEqual({
        status,
        scimType: status === 400 ? 'invalidValue' : undefined,
      });
      expect(longTurns).toEqual([]);
    });
  }

  test('a bulk request of a thousand PATCHes', NOISY, async () => {
    const { path } = await makeUser({ roles: roles(500) });
    const data = toPatch(...many(20, () => ({ op: 'add', path: 'title', value: 'x' })));
    const Operations = many(500, () => ({ method: 'PATCH', path, data }));

    const { result, longTurns } = await watch(() =>
      provider.request('POST', '/Bulk', { Operations }),
    );

    expect(result.status).toBe(200);
    expect(longTurns).toEqual([]);
  });
});

test('18,000 members in one PATCH are as legal as one, and others are served in between', {
  ...NOISY,
}, async () => {
  const count = 1_500;
  named += 1;
  const prefix = `member${named}-`;
  const ids: string[] = [];
  while (ids.length < count) {
    const from = ids.length;
    ids.push(
      ...(await Promise.all(many(100, (index) => addUser(provider, `${prefix}${from + index}`)))),
    );
  }
  const group = await addGroup(provider, `Everybody${named}`);
  const unknown = many(
    18_000,
    (index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  );
  const path = `/Groups/${group}`;

  const refused = await watch(() =>
    provider.request(
      'PATCH',
      path,
      toPatch({ op: 'add', path: 'members', value: toMembers(unknown) }),
    ),
  );
  const removed = await watch(() =>
    provider.request(
      'PATCH',
      path,
      toPatch({ op: 'remove', path: 'members', value: toMembers(unknown) }),
    ),
  );
  const added = await watch(() =>
    provider.request('PATCH', path, toPatch({ op: 'add', path: 'members', value: toMembers(ids) })),
  );
  const replaced = await watch(() =>
    provider.request('PUT', path, toGroup(`Everybody${named}`, ids.toReversed())),
  );

  expect([refused, removed, added, replaced].map(({ result }) => result.status)).toEqual([
    400, 204, 204, 200,
  ]);
  expect([refused, removed, added, replaced].flatMap(({ longTurns }) => longTurns)).toEqual([]);
});

describe('whatever a PUT of a group asks for, others are served in between', () => {
  const strangers = many(
    10_000,
    (index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  );
  const puts: { why: string; toBody: (id: string) => JsonObject; status: number }[] = [
    { why: '10,000 members who are nobody', toBody: () => toGroup('Put', strangers), status: 400 },
    {
      why: 'one member 20,000 times',
      toBody: (id) => toGroup('Put', Array(20_000).fill(id)),
      status: 200,
    },
    {
      why: '10,000 admins who are nobody',
      toBody: () => ({ ...toGroup('Put'), [GROUP_EXTENSION]: { admins: toMembers(strangers) } }),
      status: 400,
    },
    {
      why: 'one admin 20,000 times',
      toBody: (id) => ({
        ...toGroup('Put'),
        [GROUP_EXTENSION]: { admins: toMembers(Array(20_000).fill(id)) },
      }),
      status: 200,
    },
    {
      why: '10,000 attributes that nobody knows',
      toBody: () => ({
        ...toGroup('Put'),
        ...Object.fromEntries(many(10_000, (index) => [`unknown${index}`, `x${index}`])),
      }),
      status: 400,
    },
  ];
  for (const { why, toBody, status } of puts) {
    test(why, NOISY, async () => {
      named += 1;
      const { id } = await makeUser();
      const path = `/Groups/${await addGroup(provider, `Put${named}`)}`;
      const body = { ...toBody(id), displayName: `Put${named}` };

      const { result, longTurns } = await watch(() => provider.request('PUT', path, body));

      expect(result.status).toBe(status);
      expect(longTurns).toEqual([]);
    });
  }
});

test('a user who is too large may lose access, and nothing else may make the user larger', {
  ...NOISY,
}, async () => {
  const large = await makeUser({
    addresses: many(1_000, (index) => ({ formatted: `${index} ${'y'.repeat(220)}` })),
  });

  const more = await provider.request(
    'PATCH',
    large.path,
    toPatch({ op: 'add', path: 'title', value: 'x'.repeat(40_000) }),
  );
  const off = await provider.request(
    'PATCH',
    large.path,
    toPatch({ op: 'replace', path: 'active', value: false }),
  );

  expect(toOutcome(more)).toEqual({ status: 400, scimType: 'invalidValue' });
  expect(more.body.detail).toContain('262144');
  expect([off.status, off.body.active]).toEqual([200, false]);
});

test('a hundred large users are listed, searched and sorted, and others are served in between', {
  ...NOISY,
}, async () => {
  const addresses = many(800, (index) => ({ formatted: `${index} ${'y'.repeat(200)}` }));
  named += 1;
  const prefix = `large${named}-`;
  for (let index = 0; index < 100; index += 10) {
    await Promise.all(
      many(10, (other) => addUser(provider, `${prefix}${index + other}`, { addresses })),
    );
  }
  const comparisons = many(200, (index) => `addresses.formatted co "z${index}"`).join(' or ');
  const queries = [
    'count=1000',
    `count=10&filter=${encodeURIComponent('addresses.formatted co "zzz"')}`,
    `count=10&filter=${encodeURIComponent(`userName eq "${prefix}1@example.com" and (${comparisons})`)}`,
    'count=1000&sortBy=addresses.formatted&attributes=userName',
  ];

  const { result, longTurns } = await watch(async () => {
    const statuses: number[] = [];
    for (const query of queries) {
      statuses.push((await provider.request('GET', `/Users?${query}`)).status);
    }
    return statuses;
  });

  expect(result).toEqual([200, 200, 200, 200]);
  expect(longTurns).toEqual([]);
});

/** Makes users whose names take long to be compared without case. */
async function addStrangeNames(count: number): Promise<string[]> {
  named += 1;
  const name = `${'S\u0307\u0323'.repeat(80)}${named}`;
  const Operations = many(count, (index) => ({
    method: 'POST',
    path: '/Users',
    bulkId: String(index),
    data: toUser(`${name}-${index}`, {
      active: false,
      emails: [{ value: `strange${named}-${index}@example.com` }],
    }),
  }));
  const { body } = await provider.request('POST', '/Bulk', { Operations });
  const results = Array.isArray(body.Operations) ? body.Operations : [];
  return results.flatMap((result) => {
    const location = isJsonObject(result) ? String(result.location) : '';
    return location.slice(location.lastIndexOf('/') + 1);
  });
}

test('20 filters choose from 1,800 members of one group or of several, and others are served in between', {
  ...NOISY,
}, async () => {
  const chunks = [];
  for (let made = 0; made < 1_800; made += 450) chunks.push(await addStrangeNames(450));
  const prefix = `Strange${named}`;
  const whole = toGroup(`${prefix} all`, chunks.flat());
  const { body: all } = await send(provider, 'POST', '/Groups', whole);
  for (const [index, ids] of chunks.entries()) await addGroup(provider, `${prefix} ${index}`, ids);
  const filters = many(20, (index) => `members[display co "z${index}"].value`).join();
  const chosen = `attributes=${encodeURIComponent(filters)}`;
  const several = encodeURIComponent(`displayName sw "${prefix}"`);

  const ofOne = await watch(() => provider.request('GET', `/Groups/${String(all.id)}?${chosen}`));
  const ofAll = await watch(() =>
    provider.request(
      'GET',
      `/Groups?filter=${several}&${chosen.replace('attributes', 'excludedAttributes')}`,
    ),
  );

  expect([ofOne, ofAll].map(({ result }) => result.status)).toEqual([200, 200]);
  expect(ofOne.result.body.members).toBeUndefined();
  expect(ofAll.result.body.totalResults).toBe(5);
  expect([ofOne, ofAll].flatMap(({ longTurns }) => longTurns)).toEqual([]);
});
