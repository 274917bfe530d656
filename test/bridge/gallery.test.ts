import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import type { GalleryReport } from '../../src/cli/gallery.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { isJsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import type { Person } from '../support/command.ts';
import { runner } from '../support/command.ts';
import type { LocalServer } from '../support/local-server.ts';
import { passOn, serve } from '../support/local-server.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { makeProvider } from '../support/walled.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly text: string;
}

interface Replied {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonObject;
}

/** A place where a bridge is broken. `pass` asks it, perhaps at another address; undefined cuts the connection. */
type Break = (
  asked: Asked,
  pass: (toAddress?: (address: string) => string, text?: string) => Promise<Replied>,
) => Promise<Replied | undefined>;

function refuse(status: number, isMeant: (asked: Asked) => boolean): Break {
  return async (asked, pass) => (isMeant(asked) ? { status, headers: {}, body: {} } : pass());
}

async function breakBridge(
  bridge: Pick<TestBridge, 'baseUrl'>,
  breakIt: Break,
): Promise<Pick<LocalServer, 'stop'> & { readonly baseUrl: string }> {
  const { url, stop } = await serve(async (req, res) => {
    const sent = await text(req);
    const [address = '', base] = [req.url, new URL(bridge.baseUrl).pathname];
    const asked = {
      method: req.method ?? 'GET',
      path: decodeURIComponent(address.replace(base, '')),
      authorization: req.headers.authorization,
      text: sent,
    };
    const replied = await breakIt(asked, (toAddress = (same) => same, text = sent) =>
      askBridge(new URL(toAddress(address), bridge.baseUrl), req, text),
    );
    if (replied === undefined) {
      req.socket.destroy();
      return;
    }
    const { status, headers, body } = replied;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) res.setHeader(name, value);
    }
    res.writeHead(status).end(Object.keys(body).length === 0 ? undefined : JSON.stringify(body));
  });
  return { baseUrl: `${url}${new URL(bridge.baseUrl).pathname}`, stop };
}

const SHOWN = ['content-type', 'location', 'etag'] as const;

async function askBridge(
  address: URL,
  req: Parameters<typeof passOn>[0],
  sent: string,
): Promise<Replied> {
  const { status, headers, text: body } = await passOn(req, address, sent);
  const shown = SHOWN.map((name) => [name, headers[name]?.toString()]);
  return { status, headers: Object.fromEntries(shown), body: parseObject(body) };
}

function parseObject(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {}; // A form, or nothing.
  }
}

/** Wrong credentials are part of every gate, and none is to wait here. */
const SETTINGS = { OPS_TOKEN, ACCESS_FAILED_DELAY_MAX: '0s' };

const bridge = bridgeForSuite({ settings: SETTINGS });

beforeAll(async () => {
  const zoe = await bridge.addUser('zoe', { externalId: 'secret-of-zoe' });
  await bridge.addGroup('Zookeepers', [zoe]);
});

function gallery(of: TestBridge, person: Person = {}) {
  const untilStopped = () => new Promise<string>(() => undefined);
  return runner(of, { env: SETTINGS, ...{ untilStopped, ...person } });
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

async function look(of: TestBridge) {
  const people = await of.send('GET', '/Users?count=100');
  const groups = await of.send('GET', '/Groups?count=100');
  const tokens = await of.listOps('/tokens?state=live');
  const clients = await of.listOps('/clients?state=live');
  return { people: people.body, groups: groups.body, tokens, clients };
}

const LIMITS = { domains: ['partner.example'], groupNames: ['Partner *'] };
const limited = ['--domain', 'partner.example', '--group-prefix', 'Partner '];

describe('a whole bridge', () => {
  beforeAll(() => makeProvider(bridge, 'partners', LIMITS));

  test.each([
    ['okta', 'partners', ['--provider', 'partners', ...limited]],
    ['entra', 'default', []],
  ])('passes the gate of %s and is left as it was', async (gate, provider, args) => {
    const before = await look(bridge);

    const { code, text, report } = await run(bridge, [gate, ...args]);

    expect(listChecks(report, 'failed')).toEqual([]);
    expect(report.summary.ok).toBeGreaterThan(20);
    expect(report).toMatchObject({ left: [], stopped: false, provider });
    expect(code).toBe(0);
    expect(await look(bridge)).toEqual(before);
    for (const { status, why, source, evidence } of report.checks) {
      expect(source).toMatchObject({ url: expect.stringMatching(/^https:/), read: '2026-11-25' });
      expect(why === null).toBe(status === 'ok');
      const isTold = evidence.every((one) => one.request !== '' && one.durationMs >= 0);
      expect(isTold).toBe(true);
    }
    expect(text).not.toMatch(/scimbridge_|zoe|Zookeepers|owner/i);
  });

  test('passes the gate of ipsie: AL1 and AL2, with a client that signs assertions', async () => {
    const before = await look(bridge);
    const { code, report } = await run(bridge, ['ipsie']);

    expect([code, listChecks(report, 'failed')]).toEqual([0, []]);
    expect(await look(bridge)).toEqual(before);
    // No request shows these.
    const skipped = ['al3', 'audit', 'https', 'no-local-changes', 'rate-limits', 'sessions-ended'];
    expect(listChecks(report, 'skipped')).toEqual(skipped);
    expect(listChecks(report, 'ok')).toContain('client-assertion');
    const kept = (await bridge.listOps('/requests?limit=1000')).map(Object);
    const written = kept.filter(({ at, status }) => at > report.startedAt && status < 300);
    // The run deletes with a token of its own.
    const byClient = written.filter(({ credential }) => /^client-/.test(credential));
    const others = written.filter((each) => !byClient.includes(each));
    expect(others.filter(({ method }) => method !== 'DELETE')).toEqual([]);
    expect(byClient.length).toBeGreaterThan(20);
  });

  test('fails the gate for a provider whose limits keep the people of the run out', async () => {
    const args = ['okta', '--provider', 'partners', '--only', 'create-user'];
    const { code, report } = await run(bridge, args);

    expect(code).toBe(2);
    expect(report.checks[0]?.why).toMatch(/answered 403: .*partner\.example/);
  });
});

const broken: readonly {
  readonly what: string;
  readonly gate: string;
  readonly only: readonly string[];
  readonly breakIt: Break;
  readonly red: readonly string[];
}[] = [
  {
    what: 'a user who is there is created again, totalResults is one too many, a password is shown, and answers are application/json',
    gate: 'okta',
    only: [
      ...['content-type', 'create-user', 'duplicate-user', 'find-group', 'find-user'],
      ...['first-user', 'password-dropped', 'read-user', 'unknown-name'],
    ],
    async breakIt({ method, path }, pass) {
      const { status, headers, body } = await pass();
      const totalResults = Number(body.totalResults) + 1;
      return {
        status: method === 'POST' && status === 409 ? 201 : status,
        headers: { ...headers, 'content-type': 'application/json' },
        body: {
          ...body,
          ...(path.includes('filter=') && { totalResults }),
          ...(path.startsWith('/Users/') && { password: 'of-no-use-1' }),
        },
      };
    },
    red: [
      ...['content-type', 'duplicate-user', 'find-group', 'find-user'],
      ...['password-dropped', 'unknown-name'],
    ],
  },
  {
    what: 'the wrong person is removed from a group, every page is the first, an access token lasts a day, and twenty requests are too many',
    gate: 'entra',
    only: [
      ...['add-member', 'client-assertion', 'client-credentials', 'group-pages', 'read-user'],
      ...['remove-member', 'requests-per-second', 'schemas', 'user-pages'],
    ],
    breakIt: limitTo20(async ({ path, authorization, text }, pass) => {
      const replied = await pass(
        (address) => address.replace('startIndex=3', 'startIndex=1'),
        text.replace('"op":"Remove"', '"op":"Add"'),
      );
      const isToken = path === '/oauth/token' && authorization !== undefined;
      return isToken ? { ...replied, body: { ...replied.body, expires_in: 86_400 } } : replied;
    }),
    red: [
      ...['client-credentials', 'group-pages', 'remove-member'],
      ...['requests-per-second', 'user-pages'],
    ],
  },
];

describe('a bridge that is broken on purpose', () => {
  test.each(broken)('turns the checks of that red: $what', async ({ gate, only, breakIt, red }) => {
    const proxy = await breakBridge(bridge, breakIt);
    try {
      const { code, report } = await run(bridge, [gate, '--url', proxy.baseUrl, '--only', ...only]);

      expect(listChecks(report, 'failed')).toEqual(red);
      expect(listChecks(report, 'ok')).toEqual(only.filter((id) => !red.includes(id)));
      expect(code).toBe(2);
    } finally {
      await proxy.stop();
    }
  });

  test('that does not delete is told with what is left', async () => {
    const keep = refuse(200, ({ method }) => method === 'DELETE');
    const proxy = await breakBridge(bridge, keep);
    const args = ['entra', '--url', proxy.baseUrl, '--only', 'create-again', 'delete-group'];
    const { code, report } = await run(bridge, args);
    await proxy.stop();

    expect(listChecks(report, 'failed')).toEqual(['create-again', 'delete-group']);
    expect(report.left).toEqual([`${report.mark} gone`, `${report.mark}-cyd@example.com`]);
    expect(code).toBe(2);
    await removeAll('gallery-');
  });
});

/** Checks that make people and a group, change it, and look for it afterwards. */
const few = ['create-user', 'find-user', 'deactivate-without-path', 'find-group', 'delete-group'];

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
      const args = ['okta', '--url', proxy.baseUrl, '--only', ...few];
      const { code, text, report } = await run(bridge, args, person);

      expect(code).toBe(2);
      expect(text).toMatch(/^It is ended: what was made is deleted first\./);
      expect(report).toMatchObject({ stopped: true, left: [] });
      expect(report.summary.ok).toBeGreaterThan(1);
      expect(report.checks.at(-1)?.why).toBe('the run was ended before');
    } finally {
      await proxy.stop();
    }
    expect(await look(bridge)).toEqual(before);
  });

  test('of a bridge that observes asks nobody and changes nothing in the service', async () => {
    const observing = await bridgeForTest({ settings: { ...SETTINGS, MODE: 'observe' } });
    const before = observing.sandbox.calls.counts();

    const args = ['gallery', 'okta', '--json', '--only', ...few];
    const { code, text } = await gallery(observing)(...args);

    expect(code).toBe(0);
    const remains = 'The bridge observes: nothing was changed in the service.';
    expect(parseReport(text)).toMatchObject({ remains });
    expect(observing.sandbox.calls.counts()).toEqual(before);
    expect((await observing.send('GET', '/Users?count=100')).text).not.toContain('gallery-');
  });

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
    const env = (OPS_COMMAND_TOKEN: string) => ({ env: { OPS_COMMAND_TOKEN } });
    const tell = async (args: readonly string[], person?: Person) => {
      const { code, text } = await gallery(bridge, person)('gallery', 'okta', '--yes', ...args);
      return `${code} ${text}`;
    };

    expect(await tell([], env('of-nobody-at-all'))).toMatch(/^1 .*\/ops\/status answered 401/);
    expect(await tell(['--provider', 'nobody'])).toMatch(/^1 .+ \(.*tokens answered 404\)/);
    const elsewhere = await tell(['--url', `${bridge.baseUrl}/v9`]);
    expect(elsewhere).toMatch(/^1 .*v9 answered 404 .*name its SCIM base URL with --url\n$/);
    expect(await tell(['--only', 'al3'])).toMatch(/^64 .*the gate okta has no check al3/);
    expect(await look(bridge)).toEqual(before);
  });
});

async function removeAll(begin: string): Promise<void> {
  for (const [path, key] of Object.entries({ '/Groups': 'displayName', '/Users': 'userName' })) {
    for (const { id } of await bridge.find(path, `${key} sw "${begin}"`))
      await bridge.send('DELETE', `${path}/${id}`);
  }
}

function limitTo20(breakIt: Break): Break {
  let [last, times] = ['', 0];
  return async (asked, pass) => {
    const { method, path } = asked;
    times = last === `${method} ${path}` ? times + 1 : 1;
    last = `${method} ${path}`;
    return times > 20 ? { status: 429, headers: {}, body: {} } : breakIt(asked, pass);
  };
}
