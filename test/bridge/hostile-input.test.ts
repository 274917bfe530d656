import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attack,
  expectRefused,
  expectScimError,
  startTarget,
  type Target,
} from '../support/attack.ts';

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterAll(() => target.bridge.stop());

const filters: { what: string; filter: string }[] = [
  { what: '__proto__ as an attribute', filter: '__proto__.x pr' },
  { what: '__proto__ in a value path', filter: 'emails[__proto__ pr]' },
  { what: '28 line breaks in an open string', filter: `userName eq "${'\n'.repeat(28)}` },
  { what: '22 groups', filter: Array(22).fill('(a eq 1 or b eq 2)').join(' and ') },
  { what: 'deep parentheses', filter: `${'('.repeat(1_500)}id pr${')'.repeat(1_500)}` },
  { what: 'nested value paths', filter: `${'emails['.repeat(1_000)}id pr${']'.repeat(1_000)}` },
  { what: 'an injection', filter: 'userName eq "x\\" or id pr or userName eq \\""' },
  { what: 'a number out of range', filter: `meta.created gt ${'9'.repeat(400)}` },
  { what: 'wildcards of LIKE', filter: 'userName co "%"' },
];

describe('filters', () => {
  for (const { what, filter } of filters) {
    test(what, async () => {
      const query = new URLSearchParams({ filter });

      expectRefused(await attack(target, () => target.bridge.request('GET', `/Users?${query}`)));
      expectRefused(await attack(target, () => target.bridge.request('GET', `/Groups?${query}`)));
    });
  }

  // No query can be that long: Node refuses such a request line itself.
  const long = [
    { what: 'a dotted path', filter: `${'a.'.repeat(50_000)}b pr` },
    { what: 'comparisons', filter: Array(6_000).fill('id pr').join(' and ') },
    { what: 'parentheses', filter: '('.repeat(100_000) },
    { what: 'backslashes', filter: `userName eq "${'\\'.repeat(100_000)}` },
  ];
  for (const { what, filter } of long) {
    test(`100,000 characters of ${what} are refused`, async () => {
      const answer = await attack(target, () =>
        target.bridge.request('POST', '/Users/.search', { filter }),
      );

      expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
    });
  }

  test('a query longer than a request line may be is refused by status', async () => {
    const { status } = await attackStatus(`/Users?filter=${'a'.repeat(100_000)}`);

    expect([400, 414, 431]).toContain(status);
  });
});

/** As a status only: the answer is Node's own. */
async function attackStatus(path: string): Promise<{ status: number }> {
  const headers = { authorization: `Bearer ${target.bridge.token}` };
  const answer = await request(`${target.bridge.baseUrl}${path}`, { headers });
  await answer.body.dump();
  await target.bridge.send('GET', `/Users/${target.ada}`);
  return { status: answer.statusCode };
}

describe('addresses', () => {
  for (const path of ['/Users/%', '/Groups/%E0%A4', '/ResourceTypes/%c0%80']) {
    test(`${path} is not encoded correctly, and no fault of the bridge`, async () => {
      const answer = await attack(target, () => target.bridge.request('GET', path));

      expectScimError(answer, 400);
    });
  }
});

describe('projections, sorting and paging', () => {
  const queries = [
    'attributes=__proto__.x',
    'attributes=constructor.prototype',
    'attributes=__proto__&attributes=constructor',
    '__proto__=x',
    'sortBy=__proto__.x',
    'startIndex=-99999999999999999999&count=99999999999999999999',
    'startIndex=NaN&count=1e999',
  ];
  for (const query of queries) {
    test(`${query} reaches no prototype and blocks nobody`, async () => {
      const { status, body } = await attack(target, () =>
        target.bridge.request('GET', `/Users?${query}`),
      );

      expect([200, 400]).toContain(status);
      expect(Object.hasOwn(body, '__proto__')).toBe(false);
    });
  }
});
