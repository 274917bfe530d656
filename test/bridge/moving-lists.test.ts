import { describe, expect, onTestFinished, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const PAGE = 20;
const PEOPLE = 160;
/** The service deletes virtual accounts alone; they come first in its lists. */
const VIRTUAL = 60;
const GROUPS = 70;

interface World {
  readonly sandbox: Sandbox;
  /** Calls for pages of the list so far. */
  count(): number;
  /** What somebody does after each page of the list. */
  setChange(change: (page: number) => void): void;
  start(): Promise<TestBridge>;
}

/** A service that somebody changes while a list of it is read: by default the people of SCIM. */
async function openMovingList(
  list: '/scim/v2/Users' | '/company/users' | '/company/groups' = '/scim/v2/Users',
): Promise<World> {
  const sandbox = await forTest(startSandbox());
  const { service } = sandbox;
  for (let n = 1; n <= VIRTUAL; n += 1) service.addUser({ email: toEmail(n), virtual: true });
  service.seed({ users: PEOPLE - VIRTUAL, groups: list === '/company/groups' ? GROUPS : 2 });
  const proxy = await forTest(tamperWith(sandbox));
  let pages = 0;
  let change = (_page: number): void => undefined;
  const errors: unknown[] = [];
  onTestFinished(() => expect(errors).toEqual([]));
  proxy.setTamper((url, body) => {
    if (url.pathname.endsWith(list)) {
      pages += 1;
      try {
        change(pages);
      } catch (error) {
        errors.push(error);
      }
    }
    return body;
  });
  return {
    sandbox,
    count: () => pages,
    setChange(next) {
      change = next;
    },
    async start() {
      const settings = { UPSTREAM_PAGE_SIZE: `${PAGE}` };
      return forTest(startTestBridge({ service: proxy.service, settings }));
    },
  };
}

const toEmail = (n: number) => `virtual${n}@example.com`;

async function listAll(bridge: TestBridge, path: '/Users' | '/Groups') {
  const all: Record<string, unknown>[] = [];
  for (let start = 1; start <= PEOPLE * 2; start += 100) {
    all.push(...(await bridge.list(`${path}?startIndex=${start}&count=100`)));
  }
  return all;
}

async function listNames(bridge: TestBridge): Promise<Set<string>> {
  return new Set((await listAll(bridge, '/Users')).map(({ userName }) => String(userName)));
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

test('the first read ends though people come and go with every page, and nobody who stayed is left out', async () => {
  const { sandbox, count, setChange, start } = await openMovingList();
  setChange((page) => {
    sandbox.service.removeUser(toEmail(page));
    if (page % 3 > 0) sandbox.service.addUser({ email: `new${page}@example.com` });
    if (page % 3 > 1) sandbox.service.addUser({ email: `other${page}@example.com` });
  });

  const bridge = await start();

  expectKnown(await listNames(bridge), sandbox, (email) => /^(user|virtual)/.test(email));
  expect(count()).toBeLessThan(3 * (PEOPLE / PAGE));
});

describe('a list without a total that shrinks while it is read', () => {
  test('leaves out nobody of the company: everybody has a role', async () => {
    const {
      sandbox: { service },
      count,
      setChange,
      start,
    } = await openMovingList('/company/users');
    setChange((page) => service.removeUser(toEmail(page)));

    const bridge = await start();

    const people = await listAll(bridge, '/Users');
    const names = new Set(service.users().map(({ userName }) => userName));
    const stayed = people.filter(({ userName }) => names.has(String(userName)));
    expect(stayed.length).toBe(names.size);
    const hasRole = (user: object) => Object(user)[USER_EXTENSION]?.role !== undefined;
    expect(stayed.filter((user) => !hasRole(user)).map(({ userName }) => userName)).toEqual([]);
    expect(count()).toBeLessThan(2 * (PEOPLE / PAGE) + 5);
  });

  test('leaves out no group: everyone has permissions', async () => {
    const {
      sandbox: { service },
      setChange,
      start,
    } = await openMovingList('/company/groups');
    const names = service.groups().map(({ name }) => name);
    setChange((page) => service.deleteGroup(names[page - 1] ?? ''));

    const bridge = await start();

    const groups = await listAll(bridge, '/Groups');
    const stayed = groups.filter(({ displayName }) => service.findGroup(String(displayName)));
    expect(stayed.length).toBe(service.groups().length);
    const knows = (group: object) => Object(group)[GROUP_EXTENSION]?.permissions !== undefined;
    expect(stayed.filter((group) => !knows(group)).map(({ displayName }) => displayName)).toEqual(
      [],
    );
  });
});

test('a list whose total stays the same while people come and go leaves out nobody who stayed', async () => {
  const { sandbox, setChange, start } = await openMovingList();
  // No other list makes up for it.
  sandbox.faults.refuse('companyUsers', 403);
  setChange((page) => {
    sandbox.service.removeUser(toEmail(page));
    sandbox.service.addUser({ email: `new${page}@example.com` });
  });

  const bridge = await start();

  expectKnown(await listNames(bridge), sandbox, (email) => /^(user|virtual)/.test(email));
});
