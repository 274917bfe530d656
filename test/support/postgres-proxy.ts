import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { listenLocally } from './local-server.ts';

/** A way to the server of `url` that can be lost. */
export async function startPostgresProxy(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const refused = Promise.withResolvers<void>();
  let isRefusing = false;
  let lostCommit: PromiseWithResolvers<void> | undefined;
  let skipped = 0;

  const server = createServer((near) => {
    if (isRefusing) {
      near.destroy();
      refused.resolve();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    let isDeaf = false;
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => sockets.delete(socket) && cut());
    }
    near.on('data', (bytes) => {
      if (lostCommit !== undefined && isCommit(bytes) && skipped-- === 0) {
        isDeaf = true;
        // Its answer says that the server has done it.
        far.once('data', () => {
          cut();
          lostCommit?.resolve();
          lostCommit = undefined;
        });
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => isDeaf || near.write(bytes));
  });
  const { port, stop } = await listenLocally(server);
  const through = new URL(url);
  through.port = String(port);
  return {
    url: through.href,
    /** From now on every connection is closed at once, or none is. */
    setRefusing(next: boolean) {
      isRefusing = next;
      if (isRefusing) for (const socket of sockets) socket.destroy();
    },
    refused: refused.promise,
    /** Lets a commit, the next one or a later one, reach the server and its answer nobody: resolves once the connection is cut. */
    loseNextCommit(skip = 0) {
      skipped = skip;
      lostCommit = Promise.withResolvers<void>();
      return lostCommit.promise;
    },
    stop,
  };
}

function isCommit(bytes: Buffer): boolean {
  return bytes.includes('commit\0');
}
