import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { TestBridge } from '../support/bridge.ts';
import { makeLives } from '../support/lives.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { send, toUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SCIM_WRITE_WAIT: '60s' };

async function readWrites(bridge: TestBridge): Promise<JsonObject> {
  return Object((await askOps(bridge, 'GET', '/status')).body.writes);
}

describePostgres('a pause on a store that processes share', ({ makeUrl }) => {
  test('holds in all of them within seconds, and so does its end', async () => {
    const lives = await makeLives({
      settings: { ...settings, DATABASE_URL: await makeUrl('migrated') },
    });
    const { service } = lives.sandbox;
    await lives.live((one) =>
      lives.live(async (other) => {
        await askOps(one, 'POST', '/pause', { reason: 'elsewhere' });
        await expect
          .poll(() => readWrites(other))
          .toMatchObject({ paused: { reason: 'elsewhere' } });
        await send(other, 'POST', '/Users', toUser('ada'));
        expect(service.findUser('ada@example.com')).toBeUndefined();
        await askOps(one, 'POST', '/resume');
        await untilSettled(other);
        expect(service.findUser('ada@example.com')).toBeDefined();
      }),
    );
  });
});
