import { expect, test } from 'vitest';
import { makeFolder } from '../support/lifetimes.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

describePostgres('a process of its own', ({ makeUrl }) => {
  test('brings the schema up itself, and after kill -9 serves what was written, with the same token', async () => {
    const folder = makeFolder();
    const env = { DATABASE_URL: await makeUrl('empty') };
    const lives: BridgeProcess[] = [];
    const start = async () => {
      const life = await startBridge({ folder, env });
      lives.push(life);
      await life.ready();
      return life;
    };
    try {
      const first = await start();
      const before = toRequester(first);
      const id = await before.addUser('ada');
      const groupId = await before.addGroup('Pilots', [id]);
      await first.kill();

      const second = await start();
      const after = toRequester(second);

      expect(second.token).toBe(first.token);
      expect(await after.readMemberIds(groupId)).toEqual([id]);
      expect((await after.send('GET', `/Users/${id}`)).body).toMatchObject({ active: true });
      expect(await second.stop()).toBe(0);
    } finally {
      // Before the database is dropped.
      for (const life of lives) await life.kill();
    }
  });
});
