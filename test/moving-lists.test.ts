import { expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from './support/bridge.ts';
import { listResources, send } from './support/provider.ts';
import { SWEEP_SETTINGS, sweep } from './support/sweep.ts';
import { tamperWith } from './support/tampering-proxy.ts';

const PAGE = 20;
const PEOPLE = 300;
/** The service deletes virtual accounts alone; they come first in its lists. */
const VIRTUAL = 120;

interface World {
  readonly sandbox: Sandbox;
  /** Calls for pages of the list of people so far. */
  count(): number;
  /** What somebody does after each page of the list of people. */
  setChange(change: (page: number) => void): void;
  start(): Promise<TestBridge>;
}

/** A service whose people somebody changes while they are read. */
async function withMovingList(run: (world: World) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox();
  const { service } = sandbox;
  for (let n = 1; n <= VIRTUAL; n += 1) service.addUser({ email: toEmail(n), virtual: true });
  service.seed({ users: PEOPLE - VIRTUAL, groups: 2 });
  const proxy = await tamperWith(sandbox);
  let pages = 0;
  let change = (_page: number): void => undefined;
  const errors: unknown[] = [];
  proxy.setTamper((url, body) => {
    if (url.pathname.endsWith('/scim/v2/Users')) {
      pages += 1;
      try {
        change(pages);
      } catch (error) {
        errors.push(error);
      }
    }
    return body;
  });
  let bridge: TestBridge | undefined;
  try {
    await run({
      sandbox,
      count: () => pages,
      setChange(next) {
        change = next;
      },
      async start() {
        const settings = { ...SWEEP_SETTINGS, UPSTREAM_PAGE_SIZE: `${PAGE}` };
        bridge = await startTestBridge({ service: proxy.service, settings });
        return bridge;
      },
    });
    expect(errors).toEqual([]);
  } finally {
    await bridge?.stop();
    await proxy.stop();
    await sandbox.stop();
  }
}

const toEmail = (n: number) => `virtual${n}@example.com`;

async function listNames(bridge: TestBridge): Promise<Set<string>> {
  const names = new Set<string>();
  for (let start = 1; start <= PEOPLE * 2; start += 100) {
    const page = listResources(await send(bridge, 'GET', `/Users?startIndex=${start}&count=100`));
    for (const { userName } of page) names.add(String(userName));
  }
  return names;
}

/** Everybody whom the service has by now. */
function expectKnown(
  names: ReadonlySet<string>,
  { service }: Sandbox,
  isMeant = (_: string) => true,
) {
  const emails = service.users().map(({ email }) => email);
  const missed = emails.filter(
    (email) => isMeant(email) && !names.has(email.replace('@example.com', '')) && !names.has(email),
  );
  expect(missed).toEqual([]);
}

test('the first read ends though somebody is deleted with every page, and nobody is left out', () =>
  withMovingList(async ({ sandbox, count, setChange, start }) => {
    // Always somebody whom the read has passed already, so that everybody behind moves.
    setChange((page) => sandbox.service.removeUser(toEmail(page)));

    const bridge = await start();

    expectKnown(await listNames(bridge), sandbox);
    expect(count()).toBeLessThan(2 * (PEOPLE / PAGE) + 5);
  }));

test('the first read ends though people come and go with every page, and nobody who stayed is left out', () =>
  withMovingList(async ({ sandbox, count, setChange, start }) => {
    setChange((page) => {
      sandbox.service.removeUser(toEmail(page));
      if (page % 3 > 0) sandbox.service.addUser({ email: `new${page}@example.com` });
      if (page % 3 > 1) sandbox.service.addUser({ email: `other${page}@example.com` });
    });

    const bridge = await start();

    expectKnown(await listNames(bridge), sandbox, (email) => /^(user|virtual)/.test(email));
    expect(count()).toBeLessThan(3 * (PEOPLE / PAGE));
  }));

test('a sweep ends though somebody is deleted with every page', () =>
  withMovingList(async ({ sandbox, count, setChange, start }) => {
    const bridge = await start();
    const before = count();
    setChange((page) => sandbox.service.removeUser(toEmail(page - before)));

    const ended = await sweep(bridge);

    const reasons = Array.isArray(ended.reasons) ? ended.reasons.map(String) : [];
    expect(reasons.filter((reason) => reason.includes('scim'))).toEqual([]);
    expect(count() - before).toBeLessThan(2 * (PEOPLE / PAGE) + 5);
  }));
