import { expect, test } from 'vitest';
import type { JsonObject } from '../src/domain/json.ts';
import { withTestBridge } from './support/bridge.ts';
import { addGroup, addUser, untilSettled } from './support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from './support/sweep.ts';

/** The machine may be busy. */
const PATIENT = { timeout: 10_000, interval: 10 };

test('what an operator decides is kept and told with the name of the token', async () => {
  const log: JsonObject[] = [];
  const settings = {
    ...SWEEP_SETTINGS,
    DRIFT_POLICY: '{"member.added":"repair"}',
    LIMITS_REMOVE_MEMBER_COUNT: '0',
  };
  const onLog = (line: JsonObject) => void log.push(line);
  await withTestBridge({ settings, onLog }, async (bridge) => {
    const { body: made } = await askOps(bridge, 'POST', '/tokens', {
      name: 'grace',
      for: 'operator',
    });
    const text = String(made.token);
    const asGrace = async (path: string, body?: JsonObject) => {
      const url = new URL(`/ops${path}`, bridge.baseUrl).href;
      const method = body === undefined ? 'GET' : 'POST';
      const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
      return (await bridge.request(method, url, body, headers)).body;
    };
    await addUser(bridge, 'eve');
    await addUser(bridge, 'fay');
    await addGroup(bridge, 'Pilots');
    await untilSettled(bridge);
    bridge.sandbox.service.addMember('Pilots', 'eve@example.com');
    const { planId } = await sweep(bridge);
    const held = await asGrace(`/plans/${planId}`);
    const approved = await asGrace(`/plans/${planId}/approve`, { hash: String(held.hash) });
    const readPlan = async () => (await asGrace(`/plans/${planId}`)).status;
    await expect.poll(readPlan, PATIENT).toBe('applied');
    bridge.sandbox.service.addMember('Pilots', 'fay@example.com');
    await sweep(bridge);
    const { items } = await asGrace('/drifts?status=open&kind=member.added');
    const [drift] = Array.isArray(items) ? items.map((item) => Object(item)) : [];
    await asGrace(`/drifts/${drift?.id}/ignore`, { until: '2999-01-01', reason: 'leave' });
    const { items: ignored } = await asGrace('/drifts?status=ignored');
    await asGrace('/api/users/retrieveCurrentUser', {});

    expect([held.decidedBy, approved.decidedBy]).toEqual([null, 'grace']);
    expect(ignored).toMatchObject([{ note: { text: 'leave', by: 'grace' } }]);
    const acts = log.filter(({ operator }) => operator === 'grace');
    expect(acts.map(({ msg, route, operation }) => [msg, route ?? operation])).toEqual([
      ['an operator decided something', '/ops/plans/:id/approve'],
      ['an operator decided something', '/ops/drifts/:id/ignore'],
      ['an operator called the service', 'users.retrieveCurrentUser'],
    ]);
    expect(JSON.stringify(log)).not.toContain(text.slice(-43));
  });
});
