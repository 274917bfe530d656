import { expect, test } from 'vitest';
import { replace, toPatch } from '../support/provider.ts';
import { openSite } from '../support/site.ts';

const env = { UPSTREAM_TIMEOUT: '2s', AUDIT_POLL_INTERVAL: '0', SWEEP_INTERVAL: '0' };

test('the proof of a leaver whose removal was accepted before the process was killed is made by the next one', async () => {
  const { sandbox, start } = await openSite({ env });
  const first = await start();
  const ada = await first.addUser('ada');
  await first.ops('POST', '/pause');
  const leave = toPatch(replace('active', false));
  const headers = { 'x-request-id': 'last-words' };
  await first.request('PATCH', `/Users/${ada}`, leave, headers);
  await first.kill();
  const isIn = sandbox.service.getUser('ada@example.com').active;
  const next = await start();
  await next.ops('POST', '/resume');

  expect(isIn).toBe(true);
  // What is not proved yet is gone through again every 30 seconds.
  const list = () => next.listOps('/leavers');
  const out = { status: 'out', sent: { outcome: 'done' }, seenAt: expect.any(String) };
  const proof = { ...out, asked: { requestId: 'last-words' } };
  await expect.poll(list, { timeout: 120_000 }).toMatchObject([proof]);
});
