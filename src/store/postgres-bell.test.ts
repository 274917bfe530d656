import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { describePostgres } from '../../test/support/stores.ts';
import { createPostgresBell } from './postgres-bell.ts';

describePostgres('the bell of all processes', ({ makeStore }) => {
  test('is closed also while it connects to a server that does not answer', async () => {
    const connected = Promise.withResolvers<Socket>();
    const silent = createServer(connected.resolve).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const store = await makeStore();
    const bell = createPostgresBell(() => `postgres://bell@127.0.0.1:${port}/bell`, store.read);
    bell.listen('due', () => undefined);
    const socket = await connected.promise;
    const left = once(socket, 'close');

    await bell.close();

    expect(await left).toEqual([false]);
  });
});
