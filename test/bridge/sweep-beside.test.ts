import { describe, expect, test } from 'vitest';
import { withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, send, toPatch } from '../support/provider.ts';
import { logStatements, type StatementLog } from '../support/statements.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

/** What every comparison asks: which drifts of some users or groups are known, and who is stored as a member. */
const COMPARES = [
  /from "drifts" where "status" in \(.*"resource_id" in/,
  /^\s*select seq, user_id, desired, observed, .* from "memberships"/,
];

describe('a sweep beside writes', () => {
  test('compares what is the same without keeping a write waiting, and stores what is not', async () => {
    let log: StatementLog | undefined;
    const options = {
      settings: { ...SWEEP_SETTINGS },
      toStore: (given: Parameters<typeof logStatements>[0]) => {
        const logged = logStatements(given);
        log = logged.log;
        return logged.store;
      },
    };
    await withTestBridge(options, async (bridge) => {
      const ada = await addUser(bridge, 'ada');
      const pilots = await addGroup(bridge, 'Pilots');
      const member = { op: 'add', path: 'members', value: [{ value: ada }] };
      await send(bridge, 'PATCH', `/Groups/${pilots}`, toPatch(member));
      await sweep(bridge);
      log?.reset();

      await sweep(bridge);
      for (const question of COMPARES) {
        expect(log?.reads).toContainEqual(expect.stringMatching(question));
        expect(log?.writes.flat()).not.toContainEqual(expect.stringMatching(question));
      }

      bridge.sandbox.service.removeMember('Pilots', 'ada@example.com');
      await sweep(bridge);
      expect(await listManagedDrifts(bridge)).toEqual(['member.removed Pilots of ada@example.com']);
      bridge.sandbox.service.addMember('Pilots', 'ada@example.com');
      await sweep(bridge);
      expect(await listManagedDrifts(bridge)).toEqual([]);
    });
  });
});
