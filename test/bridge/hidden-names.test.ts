import { request } from 'undici';
import { expect, test } from 'vitest';
import { opsRoutes } from '../../src/ops/routes.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const READER_TOKEN = 'a-reader-who-knows-nobody';
const settings = {
  ...SWEEP_SETTINGS,
  OPS_READER_TOKEN: READER_TOKEN,
  OPS_READERS_SEE_NAMES: 'no',
  PROTECT_USERS: 'grace@example.com',
  DRIFT_POLICY: '{"member.added":"repair"}',
  LIMITS_REMOVE_MEMBER_COUNT: '0',
};
/** Everybody and every group of the test, by what could name them. */
const NAMES = /@example\.com|mallory|carl|pilots|203\.0\.113/i;

async function read(bridge: TestBridge, path: string) {
  const headers = { authorization: `Bearer ${READER_TOKEN}` };
  const { statusCode, body } = await request(new URL(`/ops${path}`, bridge.baseUrl), { headers });
  return { status: statusCode, text: await body.text() };
}

/** A company whose service somebody changed, a plan that waits, a dispute, and an act. */
async function play(bridge: TestBridge) {
  const ada = await addUser(bridge, 'ada');
  await addUser(bridge, 'eve');
  const pilots = await addGroup(bridge, 'Pilots', [ada]);
  await untilSettled(bridge);
  const { service } = bridge.sandbox;
  service.addUser({ email: 'mallory@example.com', fullName: 'Mallory Admin' });
  const admin = service.as('mallory@example.com', '203.0.113.9');
  admin.addMember('Pilots', 'eve@example.com');
  admin.setActive('ada@example.com', false);
  const { planId } = await sweep(bridge);
  await askOps(bridge, 'POST', '/pause', { reason: 'carl looks around' });
  await askOps(bridge, 'POST', '/tokens', { name: 'carl', for: 'operator' });
  return { ada, pilots, planId: String(planId) };
}

test('readers who may know nobody are shown ids in the place of every name and address', () =>
  withTestBridge({ settings }, async (bridge) => {
    const { ada, pilots, planId } = await play(bridge);

    const paths = opsRoutes
      .filter(({ method, path }) => method === 'get' && path !== '/openapi.json')
      .flatMap(({ path }) => [ada, pilots, planId].map((id) => path.replace(/\{(?:id|key)\}/, id)));
    const answers = await Promise.all(
      [...new Set(paths)].map(async (path) => ({ path, ...(await read(bridge, path)) })),
    );

    expect(answers.filter(({ text }) => NAMES.test(text))).toEqual([]);
    const { text: told } = await read(bridge, `/users/${ada}`);
    expect(JSON.parse(told)).toMatchObject({ id: ada, name: ada, active: { observed: false } });
    const drifts = JSON.parse((await read(bridge, '/drifts?kind=member.added')).text);
    expect(drifts.items).toMatchObject([{ resource: { id: pilots, name: pilots } }]);
  }));

test('readers who may know nobody cannot find somebody by a name; operators see and find them', () =>
  withTestBridge({ settings }, async (bridge) => {
    const { ada } = await play(bridge);

    const refused = await Promise.all(
      [
        ...['/users?q=ada', '/acts?operator=carl', '/users/ada@example.com/explain'],
        ...['/timeline/ada@example.com', '/explain/Pilots'],
      ].map(async (path) => (await read(bridge, path)).status),
    );
    const found = await askOps(bridge, 'GET', '/users?q=ada');

    expect(refused).toEqual(refused.map(() => 403));
    expect((await read(bridge, `/timeline/${ada}`)).status).toBe(200);
    expect(found.body.items).toMatchObject([{ id: ada, name: 'ada@example.com' }]);
  }));
