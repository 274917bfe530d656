import { expect, test } from 'vitest';
import { LEASE_MS } from './shared-state.ts';
import { addUser, connect, failureOf, getUser, ok } from './testing/connect.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { createMemoryCell } from './testing/memory-cell.ts';
import { sendJson, startService } from './testing/service.ts';
import type { CallOptions, TransportOptions } from './transport.ts';

/** Shared parts of several processes with one token. */
function share(requestsPerSecond: number) {
  const clock = createFakeClock();
  const cell = createMemoryCell(clock);
  const toOptions = (owner: string): Partial<TransportOptions> => ({
    requestsPerSecond,
    clock,
    attemptsMax: 1,
    shared: { cell, owner },
  });
  return { clock, cell, toOptions };
}

test('a call that took too long to get ready after its turn is not sent, and may come again', async () => {
  const { clock, toOptions } = share(5);
  const service = await startService(ok);
  const transport = connect(service.baseUrl, toOptions('a'));
  const wait = (ms: number): CallOptions => ({ beforeSend: () => clock.sleep(ms) });

  const late = failureOf(addUser(transport, wait(LEASE_MS)));
  await clock.advance(LEASE_MS);
  const soon = addUser(transport, wait(LEASE_MS - 1));
  await clock.advance(LEASE_MS);

  expect(await late).toMatchObject({ code: 'timeout', outcome: 'not-sent', retry: 'later' });
  expect(await soon).toEqual({ id: 1 });
  expect(service.seen).toHaveLength(1);
});

test('without a limit nothing is asked of what is shared', async () => {
  const { cell, toOptions } = share(0);
  const service = await startService(ok);
  const transport = connect(service.baseUrl, toOptions('a'));

  await Promise.all([getUser(transport), getUser(transport), getUser(transport)]);
  const { elsewhere } = transport.health();

  expect([cell.reads, elsewhere]).toEqual([0, undefined]);
});

test('without a word the pause doubles, whichever process sends the probe', async () => {
  const { clock, toOptions } = share(5);
  const service = await startService((res) => sendJson(res, 429, {}));
  const [first, second] = ['a', 'b'].map((owner) => connect(service.baseUrl, toOptions(owner)));
  if (first === undefined || second === undefined) throw new Error('there are two');

  const errors = [await failureOf(getUser(first))];
  await clock.advance(900);
  const probe = failureOf(getUser(second));
  await clock.advance(200);
  errors.push(await probe);

  expect(errors).toMatchObject([{ retryAfterMs: 1_000 }, { retryAfterMs: 2_000 }]);
  expect(service.seen).toHaveLength(2);
});
