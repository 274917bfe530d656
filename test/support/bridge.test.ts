import { expect, test } from 'vitest';
import { startTestBridge } from './bridge.ts';

test('a bridge of a test serves SCIM, and its service holds what was written', async () => {
  const bridge = await startTestBridge();
  try {
    const created = await bridge.request('POST', '/Users', { userName: 'ada@example.com' });

    expect(created.status).toBe(201);
    expect(bridge.sandbox.calls.count({ operation: 'scim.addUser' })).toBe(1);
  } finally {
    await bridge.stop();
  }
});
