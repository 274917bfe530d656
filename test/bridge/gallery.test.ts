import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toGalleryTables } from '../../scripts/gallery-page.ts';
import { gates } from '../../src/cli/gallery/gates.ts';
import type { GalleryReport } from '../../src/cli/gallery/report.ts';
import { toCleanUpText } from '../../src/cli/gallery/to-html.ts';
import { addGalleryCommand } from '../../src/cli/gallery.ts';
import { isJsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge, withTestBridge } from '../support/bridge.ts';
import { breakBridge } from '../support/broken-bridge.ts';
import { type BrokenPlace, brokenPlaces, morePlaces } from '../support/broken-places.ts';
import { type Person, runner } from '../support/command.ts';
import { addGroup, addUser, send } from '../support/provider.ts';
import { askOps, OPS_TOKEN } from '../support/sweep.ts';
import { makeProvider } from '../support/walled.ts';

/** Wrong credentials are part of every gate, and none is to wait here. */
const SETTINGS = { OPS_TOKEN, ACCESS_FAILED_DELAY_MAX: '0s' };

let bridge: TestBridge;

beforeAll(async () => {
  bridge = await startTestBridge({ settings: SETTINGS });
  const zoe = await addUser(bridge, 'zoe', { externalId: 'secret-of-zoe' });
  await addGroup(bridge, 'Zookeepers', [zoe]);
});

afterAll(() => bridge.stop());

/** Runs the command as somebody who does not press Ctrl-C. */
function gallery(of: TestBridge, person: Person = {}) {
  const untilStopped = () => new Promise<string>(() => undefined);
  return runner(of, [addGalleryCommand], SETTINGS, { untilStopped, ...person });
}

async function run(of: TestBridge, args: readonly string[], person?: Person) {
  const { code, text } = await gallery(of, person)('gallery', ...args, '--yes', '--json');
  return { code, text, report: parseReport(text.slice(text.indexOf('{'))) };
}

function parseReport(text: string): GalleryReport {
  return JSON.parse(text) as GalleryReport;
}

function listChecks({ checks }: GalleryReport, wanted: string): string[] {
  return checks.flatMap(({ id, status }) => (status === wanted ? [id] : [])).toSorted();
}

/** All that SCIM shows, and the names of the credentials that are valid. */
async function look(of: TestBridge) {
  const people = await send(of, 'GET', '/Users?count=100');
  const groups = await send(of, 'GET', '/Groups?count=100');
  const [tokens, clients] = [
    await askOps(of, 'GET', '/tokens?state=live'),
    await askOps(of, 'GET', '/clients?state=live'),
  ];
  return { people: people.body, groups: groups.body, tokens: tokens.body, clients: clients.body };
}

describe('a whole bridge', () => {
  test.each(['okta', 'entra', 'ipsie'])(
    'passes the gate of %s and is left as it was',
    async (gate) => {
      const before = await look(bridge);

      const { code, report } = await run(bridge, [gate]);

      expect(listChecks(report, 'failed')).toEqual([]);
      expect(code).toBe(0);
      expect(report.summary.ok).toBeGreaterThan(20);
      expect(report.cleanUp).toMatchObject({ people: 3, left: [], problem: null });
      expect(report.cleanUp.credentials.every(({ ended }) => ended)).toBe(true);
      expect(await look(bridge)).toEqual(before);
    },
  );

  test('is told about with the source and the evidence of each check, without secrets and without other people', async () => {
    const { text, report } = await run(bridge, ['okta']);

    for (const { status, why, source, evidence } of report.checks) {
      expect(source).toMatchObject({ url: expect.stringMatching(/^https:/), read: '2026-11-25' });
      if (status === 'skipped') expect(why).not.toBe('');
      else if (evidence.length > 0) expect(evidence.at(-1)?.parts).not.toEqual([]);
    }
    expect(report.checks.find(({ id }) => id === 'unknown-name')?.evidence).toEqual([
      {
        request: `GET /Users?filter=userName eq "${report.mark}-nobody"`,
        ...{ status: 200, times: 1, durationMs: expect.any(Number) },
        parts: [
          'schemas has urn:ietf:params:scim:api:messages:2.0:ListResponse',
          'totalResults is 0',
        ],
      },
    ]);
    expect(text).not.toMatch(/scimbridge_|zoe|Zookeepers|owner/i);
  });

  test('is shown on one page that needs nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-gallery-'));
    try {
      const file = join(folder, 'report.html');
      const { report } = await run(bridge, ['ipsie', '--html', file, '--only', 'bulk', 'al3']);
      const page = readFileSync(file, 'utf8');

      expect(listChecks(report, 'ok')).toEqual(['bulk']);
      expect(listChecks(report, 'skipped')).toEqual(['al3']);
      expect(page).toContain('<code>POST /Bulk</code> 200');
      expect(page).toContain('§4.3 /Bulk<br>read 2026-11-25');
      expect(page).not.toMatch(/<script|src=|<link|@import|scimbridge_/i);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('has its gate run for a provider with limits', async () => {
    const limits = { domains: ['partner.example'], groupNames: ['Partner *'] };
    await makeProvider(bridge, 'partners', limits);
    const args = ['--provider', 'partners', '--domain', 'partner.example'];

    const limited = await run(bridge, ['okta', ...args, '--group-prefix', 'Partner ']);
    const outside = await run(bridge, ['okta', '--provider', 'partners', '--only', 'create-user']);

    expect(limited).toMatchObject({ code: 0, report: { provider: 'partners' } });
    expect(outside.code).toBe(2);
    expect(outside.report.checks[0]?.why).toMatch(
      /^POST \/Users: answered 403: .*partner\.example/,
    );
  });
});

/** The gate of a bridge that is broken somewhere. */
async function runBroken({ gate, breakIt, red, left = 0 }: BrokenPlace): Promise<void> {
  const before = await look(bridge);
  const proxy = await breakBridge(bridge, breakIt);
  try {
    const { code, report } = await run(bridge, [gate, '--url', proxy.baseUrl]);

    expect(listChecks(report, 'failed')).toEqual(red);
    expect(code).toBe(2);
    expect(report.cleanUp.left).toHaveLength(left);
  } finally {
    await proxy.stop();
    if (left > 0) await removeAll('gallery-');
  }
  expect(await look(bridge)).toEqual(before);
}

describe('a bridge that is broken on purpose', () => {
  test.each(brokenPlaces)('$what: $red', runBroken);
  test.each(morePlaces)('$what: $red', runBroken);

  test('turns every check red that can be', () => {
    const ids = Object.values(gates).flatMap(({ checks }) => checks.map(({ id }) => id));
    const red = new Set([...brokenPlaces, ...morePlaces].flatMap(({ red }) => red));

    expect([...new Set(ids)].filter((id) => !red.has(id)).toSorted()).toEqual([
      // Of the address alone, or never tried.
      ...['al3', 'base-url', 'https', 'interop-profile', 'no-local-changes'],
      ...['provision-on-demand', 'rate-limits', 'sessions-ended'],
    ]);
  });
});

test('docs/gallery.md has the checks as they are: npm run docs writes them', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/gallery.md'), 'utf8');

  expect(page).toContain(`\n${toGalleryTables()}\n`);
});

describe('a run', () => {
  test('that is ended by Ctrl-C takes away what it made, and says so', async () => {
    const before = await look(bridge);
    const stop = Promise.withResolvers<string>();
    const proxy = await breakBridge(bridge, async ({ method }, pass) => {
      if (method === 'PATCH') stop.resolve('SIGINT');
      return pass();
    });
    try {
      const person = { untilStopped: () => stop.promise };
      const { code, text, report } = await run(bridge, ['okta', '--url', proxy.baseUrl], person);

      expect(code).toBe(2);
      expect(text).toMatch(/^It is ended: what was made is taken away first\./);
      expect(report).toMatchObject({ stopped: true, cleanUp: { left: [], problem: null } });
      expect(report.summary.ok).toBeGreaterThan(5);
      expect(report.checks.at(-1)?.why).toBe('the run was ended before');
    } finally {
      await proxy.stop();
    }
    expect(await look(bridge)).toEqual(before);
  });

  test('whose bridge is gone in the middle says what it could not take away', async () => {
    const before = await look(bridge);
    let isGone = false;
    const proxy = await breakBridge(bridge, async ({ method }, pass) => {
      isGone ||= method === 'PATCH';
      return isGone ? undefined : pass();
    });
    try {
      const { code, report } = await run(bridge, ['okta', '--url', proxy.baseUrl]);

      expect(code).toBe(2);
      expect(report.cleanUp.problem).toMatch(/ does not answer$/);
      expect(toCleanUpText(report)).toContain(`Its names begin with ${report.mark}.`);
      expect(toCleanUpText(report)).not.toContain('No SCIM answer');
      expect(report.checks.find(({ id }) => id === 'find-group')?.why).toMatch(/ does not answer$/);
    } finally {
      await proxy.stop();
      await removeAll('gallery-');
    }
    expect(await look(bridge)).toEqual(before);
  });

  test('of checks that need people of their own makes them, and tells of each in a table', async () => {
    const command = gallery(bridge, { columns: 100 });

    const { code, text } = await command('gallery', 'entra', '--yes', '--only', 'manager', 'https');

    expect(code).toBe(0);
    expect(text).toMatch(/manager +(\S*)ok/);
    expect(text).toContain('1 ok, 0 failed, 1 skipped.');
    expect(text).toContain('The service cannot delete accounts');
  });

  test('of a bridge that observes asks nobody and changes nothing in the service', () =>
    withTestBridge({ settings: { ...SETTINGS, MODE: 'observe' } }, async (observing) => {
      const before = observing.sandbox.calls.counts();

      const { code, text } = await gallery(observing)('gallery', 'okta', '--json');

      expect(code).toBe(0);
      expect(parseReport(text).remains).toBe(
        'The bridge observes: nothing was changed in the service.',
      );
      expect(observing.sandbox.calls.counts()).toEqual(before);
      expect((await send(observing, 'GET', '/Users?count=100')).text).not.toContain('gallery-');
    }));

  test('is asked about first where the bridge changes the service', async () => {
    const before = await look(bridge);

    const refused = await gallery(bridge, { answer: 'n' })('gallery', 'okta');
    const alone = await gallery(bridge)('gallery', 'okta');

    expect(refused.asked[0]).toMatch(/cannot delete accounts: .* deactivated\. .*MODE=observe/);
    expect(refused).toMatchObject({ code: 0, text: 'Nothing was done.\n' });
    expect(alone).toMatchObject({ code: 64, text: expect.stringContaining('say --yes') });
    expect(await look(bridge)).toEqual(before);
  });

  test('with a wrong credential, address or provider says so and leaves nothing', async () => {
    const before = await look(bridge);
    const reader = await askOps(bridge, 'POST', '/tokens', { name: 'reader', for: 'reader' });
    const env = (OPS_COMMAND_TOKEN: string) => ({ env: { OPS_COMMAND_TOKEN } });
    const tell = async (args: readonly string[], person?: Person) => {
      const { code, text } = await gallery(bridge, person)('gallery', 'okta', '--yes', ...args);
      return `${code} ${text}`;
    };

    expect(await tell([], env('of-nobody-at-all'))).toMatch(/^1 .*\/ops\/status answered 401/);
    expect(await tell([], env(String(reader.body.token)))).toMatch(
      /^1 .+ \(.*tokens answered 403\)/,
    );
    expect(await tell(['--provider', 'nobody'])).toMatch(/^1 .+ \(.*tokens answered 404\)/);
    expect(await tell(['--url', `${bridge.baseUrl}/v9`])).toMatch(
      /^1 .*v9 answered 404 .*name the SCIM base URL of this bridge with --url\n$/,
    );
    expect(await tell(['--url', 'http://127.0.0.1:1'])).toMatch(/^1 .* does not answer\n$/);
    expect(await tell(['--only', 'al3'])).toMatch(/^64 .*the gate okta has no check al3/);
    await askOps(bridge, 'POST', '/tokens/reader/revoke');
    expect(await look(bridge)).toEqual(before);
  });
});

/** Deletes what a broken bridge kept. */
async function removeAll(begin: string): Promise<void> {
  for (const [path, key] of [
    ['/Groups', 'displayName'],
    ['/Users', 'userName'],
  ] as const) {
    const filter = encodeURIComponent(`${key} sw "${begin}"`);
    const { Resources } = (await send(bridge, 'GET', `${path}?filter=${filter}`)).body;
    for (const each of Array.isArray(Resources) ? Resources : [])
      if (isJsonObject(each)) await send(bridge, 'DELETE', `${path}/${each.id}`);
  }
}
