import { expect, test } from 'vitest';
import { replace, toPatch } from '../support/provider.ts';
import { openSite } from '../support/site.ts';

const env = { UPSTREAM_TIMEOUT: '2s', AUDIT_POLL_INTERVAL: '0', SWEEP_INTERVAL: '0' };
const MINUTES = { group: 'Board', entities: [{ uid: 'minutes', roles: ['role-read'] }] };

test('the proof of a leaver whose removal was accepted before the process was killed is made by the next one', async () => {
  const { sandbox, start } = await openSite({ env });
  const first = await start();
  const ada = await first.addUser('ada');
  await first.ops('POST', '/pause');
  const out = toPatch(replace('active', false));
  const headers = { 'x-request-id': 'last-words' };
  await first.request('PATCH', `/Users/${ada}`, out, headers);
  await first.kill();
  const isIn = sandbox.service.getUser('ada@example.com').active;
  const next = await start();
  await next.ops('POST', '/resume');

  expect(isIn).toBe(true);
  // What is not proved yet is gone through again every 30 seconds.
  await expect
    .poll(() => next.listOps('/leavers'), { timeout: 120_000 })
    .toMatchObject([
      {
        status: 'out',
        asked: { requestId: 'last-words' },
        sent: { outcome: 'done' },
        seenAt: expect.any(String),
      },
    ]);
});

test('roles in a space that were being given or taken when the process was killed are given and taken once', async () => {
  const { sandbox, start } = await openSite({ env });
  const { service, faults } = sandbox;
  const { uid } = service.addSpace('Minutes');
  const toEnv = (rules: object[]) => ({
    RULES: JSON.stringify(rules).replaceAll('"minutes"', JSON.stringify(uid)),
  });
  const readRoles = () => service.rolesOf(uid, 'Board');
  const hang = (operation: 'groupEntities.addEntity' | 'groupEntities.removeEntity') =>
    faults.add({ operation, fault: { kind: 'hang', effect: 'done' } });
  const count = (action: string) =>
    service.auditEvents().filter((event) => event.action === action).length;

  const giving = hang('groupEntities.addEntity');
  const first = await start(toEnv([MINUTES]));
  await first.addGroup('Board');
  await giving.until(1);
  await first.kill();
  faults.clear();
  const second = await start(toEnv([MINUTES]));
  await second.untilSettled();
  const given = readRoles();
  await second.stop();
  const taking = hang('groupEntities.removeEntity');
  const third = await start(toEnv([]));
  await taking.until(1);
  await third.kill();
  faults.clear();
  await (await start(toEnv([]))).untilSettled();

  expect(given).toEqual(['role-read']);
  expect(readRoles()).toBeUndefined();
  expect([count('grant_access'), count('revoke_access')]).toEqual([1, 1]);
});
