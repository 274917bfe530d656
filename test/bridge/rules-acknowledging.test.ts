import { expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { replace, toMembers, toPatch } from '../support/provider.ts';

const ada = 'ada@example.com';

function rename(familyName: string) {
  return toPatch(replace('name.familyName', familyName));
}

async function readFamilyName(bridge: TestBridge, path: string): Promise<unknown> {
  const { body } = await bridge.send('GET', path);
  return body.name;
}

const bridge = forSuite(() => startTestBridge({ settings: { SCIM_WRITE_WAIT: '50ms' } }));

test('a slow write is acknowledged when the wait ends and becomes true all the same', async () => {
  const { faults, service } = bridge.sandbox;
  const path = `/Users/${await bridge.addUser('ada')}`;
  await bridge.untilSettled();
  const fault = { kind: 'hang' } as const;
  const hang = faults.add({ operation: 'scim.updateUser', fault, times: 1 });

  const answer = await bridge.request('PATCH', path, rename('King'));
  await hang.until(1);
  const nameBefore = service.getUser(ada).fullName;
  faults.release();
  await bridge.untilSettled();

  expect(answer.status).toBe(200);
  expect(answer.body.name).toMatchObject({ familyName: 'King' });
  expect(nameBefore).toBe('Ada Example');
  expect(service.getUser(ada).fullName).toBe('Ada King');
});

test('50 PATCHes of one member each at the same time lose nobody', async () => {
  const bridge = await forTest(startTestBridge({ sandbox: { seed: { users: 50 } } }));
  const people = await bridge.list('/Users?count=200');
  const seeded = people.filter(({ userName }) => String(userName).startsWith('user'));
  const ids = seeded.map(({ id }) => String(id));
  const path = `/Groups/${await bridge.addGroup('Pilots')}`;

  const answers = await Promise.all(
    ids.map((id) =>
      bridge.request(
        'PATCH',
        path,
        toPatch({ op: 'add', path: 'members', value: toMembers([id]) }),
      ),
    ),
  );
  await bridge.untilSettled();

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect(await bridge.readMemberIds(path.replace('/Groups/', ''))).toEqual(ids.toSorted());
  expect(bridge.sandbox.service.members('Pilots')).toHaveLength(50);
});

test('with whenUpstreamIsDown refuse, a write is refused while the credentials are, and nothing is stored', async () => {
  const bridge = await forTest(
    startTestBridge({ settings: { SCIM_WHEN_UPSTREAM_IS_DOWN: 'refuse' } }),
  );
  const path = `/Users/${await bridge.addUser('ada')}`;
  bridge.sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 401 } });
  await bridge.request('PATCH', path, rename('King'));

  const answer = await bridge.request('PATCH', path, rename('Queen'));

  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(await readFamilyName(bridge, path)).toMatchObject({ familyName: 'King' });
});
