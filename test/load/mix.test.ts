import { expect, test } from 'vitest';
import type { LoadRequest } from '../bench/load-client.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { adoptCompany } from './adopt-company.ts';
import { createDraws, type LoadCompany } from './draws.ts';
import { createMix, ingredients } from './mix.ts';

const company: LoadCompany = {
  people: Array.from({ length: 200 }, (_, index) => ({
    id: `person-${index}`,
    userName: `person${index}@example.com`,
    externalId: `external-${index}`,
  })),
  groups: [{ id: 'group', displayName: 'Group' }],
};

test('the parts make a whole, and more than a fifth of it are writes', () => {
  const parts = ingredients.map(({ perMille }) => perMille);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(1_000);
  const requests = draw(10_000);
  const writes = requests.filter(({ method }) => method !== 'GET').length;
  expect(writes / requests.length).toBeGreaterThan(0.2);
  expect(writes / requests.length).toBeLessThan(0.25);
});

test('the same seed gives the same requests', () => {
  expect(draw(100)).toEqual(draw(100));
});

test('whoever is deleted is in no other request', () => {
  const requests = draw(5_000);
  const deleted = requests.flatMap(({ method, path }) => (method === 'DELETE' ? [path] : []));
  expect(deleted.length).toBeGreaterThan(0);
  expect(new Set(deleted).size).toBe(deleted.length);
  for (const path of deleted) {
    const id = path.slice('/Users/'.length);
    const about = requests.filter((one) => one.path === path || isAbout(one, id));
    expect(about).toHaveLength(1);
  }
});

test('a bridge accepts every request of it', async () => {
  const bridge = await startTestBridge({
    sandbox: { seed: { users: 200, groups: 10 } },
    settings: { SCIM_WRITE_WAIT: '0' },
  });
  try {
    const next = createMix(createDraws(await adoptCompany(bridge.store), 1));
    const answers = new Map<string, number>();
    for (let n = 0; n < 1_000; n += 1) {
      const request = next();
      const status = await send(bridge, request);
      expect({ request, status }).toSatisfy(({ status: code }) => code >= 200 && code < 300);
      answers.set(request.method, (answers.get(request.method) ?? 0) + 1);
    }
    expect([...answers.keys()].sort()).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']);
  } finally {
    await bridge.stop();
  }
});

function draw(count: number): LoadRequest[] {
  const next = createMix(createDraws(company, 7));
  return Array.from({ length: count }, next);
}

function isAbout({ body = '' }: LoadRequest, id: string): boolean {
  return body.includes(`"${id}"`);
}

async function send(bridge: TestBridge, { method, path, body }: LoadRequest): Promise<number> {
  const answer = await bridge.request(
    method,
    path,
    body === undefined ? undefined : JSON.parse(body),
  );
  return answer.status;
}
