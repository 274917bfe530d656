import { expect, test } from 'vitest';
import { type TestAnswer, withTestBridge } from '../support/bridge.ts';
import { cutConnections } from '../support/cut-connections.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { type Requester, toGroup } from '../support/provider.ts';

function readReady(requester: Requester, baseUrl: string): Promise<TestAnswer> {
  return requester.request('GET', new URL('/readyz', baseUrl).href);
}

/** The provider is told to come back, in its own protocol. */
function expectComeBack({ status, headers, body }: TestAnswer): void {
  expect(status).toBe(503);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '503',
  });
}

describePostgres('a PostgreSQL that goes away in the middle of traffic', ({ makeUrl }) => {
  test('answers 503, doubles nothing, and everything acknowledged becomes true', async () => {
    const url = await makeUrl('migrated');
    const options = {
      settings: { DATABASE_URL: url, SCIM_WRITE_WAIT: '200ms' },
      // A service that would take the same group twice.
      sandbox: { shape: { uniqueGroupNames: 'nowhere' } },
    } as const;
    await withTestBridge(options, async (bridge) => {
      const names = Array.from({ length: 60 }, (_, index) => `Group ${index}`);
      const refused: TestAnswer[] = [];
      const writing = Promise.all(
        Array.from({ length: 6 }, async () => {
          for (let name = names.shift(); name !== undefined; name = names.shift()) {
            await writeUntilTaken(bridge, name, refused);
          }
        }),
      );
      for (let cut = 0; cut < 5; cut += 1) {
        await bridge.sandbox.calls.until(bridge.sandbox.calls.count() + 8);
        await cutConnections(url);
      }
      await writing;
      await expect.poll(() => bridge.sandbox.service.groups().length, { interval: 20 }).toBe(60);

      expect(refused.length).toBeGreaterThan(0);
      for (const answer of refused) expectComeBack(answer);
      const made = bridge.sandbox.service.groups().map(({ name }) => name);
      expect(new Set(made).size).toBe(60);
      await expect.poll(async () => (await readReady(bridge, bridge.baseUrl)).status).toBe(200);
    });
  });
});

/** As a provider does: after 503 again; 409 says that the attempt before was kept. */
async function writeUntilTaken(
  bridge: Requester,
  name: string,
  refused: TestAnswer[],
): Promise<void> {
  for (;;) {
    const answer = await bridge.request('POST', '/Groups', toGroup(name));
    if (answer.status === 201 || answer.status === 409) return;
    refused.push(answer);
  }
}
