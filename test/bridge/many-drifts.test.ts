import { describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forTest } from '../support/lifetimes.ts';
import { addPilots, countMembers, intrude, untilApplied } from '../support/pilots.ts';

/** People who were put into the group behind the provider's back. */
const INTRUDERS = 4;

describe('one decision about many drifts', () => {
  /** A bridge that has found the intruders, and the ids of the drifts. */
  async function openIntruded(settings: Readonly<Record<string, string>> = {}) {
    const bridge = await forTest(startTestBridge({ settings }));
    await addPilots(bridge, INTRUDERS);
    intrude(bridge, 0, INTRUDERS);
    await bridge.sweep();
    const drifts = await bridge.listOps('/drifts?status=open&kind=member.added');
    return [bridge, drifts.map(({ id }) => String(id))] as const;
  }

  const decide = (bridge: TestBridge, body: Record<string, string | boolean | string[]>) =>
    bridge.ops('POST', '/drifts/decide', body);

  test('repairs them by one plan, which a dry run has told before', async () => {
    const [bridge, ids] = await openIntruded();
    const repair = { decision: 'repair', ids: [...ids, 'nobody'] };
    const preview = await decide(bridge, { ...repair, dryRun: true });

    expect(preview.body).toMatchObject({
      ...{ dryRun: true, done: INTRUDERS, refused: [{ id: 'nobody', code: 'unknown' }] },
      plan: { id: null, exceeded: [], counts: { kinds: { 'member.remove': INTRUDERS } } },
    });
    expect(await bridge.listDrifts()).toHaveLength(INTRUDERS);
    expect(Object((await bridge.ops('GET', '/plans')).body).items).toEqual([]);

    const { body } = await decide(bridge, repair);
    await untilApplied(bridge, Object(body).plan.id);
    expect(countMembers(bridge)).toBe(0);
  });

  test('above a limit repairs nothing but exactly the plan that was seen', async () => {
    const [bridge, ids] = await openIntruded({ LIMITS_REPAIR: '2' });
    const repair = { decision: 'repair', ids };
    const refused = await decide(bridge, repair);
    expect(refused).toMatchObject({ status: 409, body: { code: 'above-limits' } });
    const { hash } = Object(refused.body);

    const fewer = await decide(bridge, { ...repair, ids: ids.slice(1), hash });
    expect(fewer).toMatchObject({ status: 409, body: { code: 'other-plan' } });
    expect(countMembers(bridge)).toBe(INTRUDERS);

    const { body } = await decide(bridge, { ...repair, hash });
    await untilApplied(bridge, Object(body).plan.id);
    expect(countMembers(bridge)).toBe(0);
  });

  test('is kept as an act about each of them, and a dry run as none', async () => {
    const [bridge, ids] = await openIntruded();
    const ignore = { until: '2999-01-01T00:00:00Z', reason: 'a test' };
    await decide(bridge, { decision: 'ignore', ids: ids.slice(0, 2), ...ignore, dryRun: true });
    await decide(bridge, { decision: 'ignore', ids: ids.slice(0, 2), ...ignore });
    await decide(bridge, { decision: 'accept', ids: ids.slice(2) });

    const { items } = Object((await bridge.ops('GET', '/acts')).body);
    const decided = items.filter(({ act }: { act: string }) => /decided/.test(act));
    expect(decided.map(({ target }: { target: string }) => target).toReversed()).toEqual(ids);
    expect(decided[0]).toMatchObject({
      ...{ before: { status: 'open' }, after: { status: 'accepted' }, outcome: 'done' },
    });
    expect(await bridge.listDrifts('ignored')).toHaveLength(2);
    expect(await bridge.listDrifts('accepted')).toHaveLength(2);
  });

  test('`drifts repair` tells what follows and asks; above a limit a script needs the hash', async () => {
    const [bridge, ids] = await openIntruded({ LIMITS_REPAIR: '2' });
    const script = runner(bridge);
    const refuser = runner(bridge, { answer: 'n' });
    const person = runner(bridge, { answer: 'y' });

    const refused = await script('drifts', 'repair', '--yes', ...ids);
    expect(refused.code).toBe(1);
    expect(refused.text).toContain('above the limits');
    expect((await refuser('drifts', 'repair', ...ids)).text).toContain('Nothing was done.');
    expect(countMembers(bridge)).toBe(INTRUDERS);

    const { code, text, asked } = await person('drifts', 'repair', ...ids);
    expect({ code, asked }).toEqual({ code: 0, asked: ['Repair them? [y/N] '] });
    expect(text).toContain('above the limit: removeMember: 4 in 24 hours');
    await expect.poll(() => countMembers(bridge)).toBe(0);
    const list = async () => (await script('drifts', '--status', 'repaired')).text;
    await expect.poll(list).toContain('member.added');
    expect((await script('drifts', 'repair', '--dry-run', 'nobody')).text).toContain('0 can be');
  });
});
