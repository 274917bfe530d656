import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { type Bell, createLocalBell, TOPICS, type Topic } from './bell.ts';
import type { Db } from './store.ts';

const CHANNEL = 'scim_bridge';
/** How long a new connection may take, and a pause before the next, in milliseconds. */
const CONNECT_MS = 5_000;
const AGAIN_MS = 500;

interface PostgresBell extends Bell {
  close(): Promise<void>;
}

/** Creates the bell; it connects for the first listener. `aside` takes single statements at once. */
export function createPostgresBell(findUrl: () => string, aside: Db): PostgresBell {
  const local = createLocalBell();
  const closing = new AbortController();
  const waiting = new Set<Topic>();
  let socket: Socket | undefined;
  let listening: Promise<void> | undefined;
  let sending: Promise<void> | undefined;

  async function listenOnce(): Promise<void> {
    const stream = new Socket();
    socket = stream;
    const own = new pg.Client({
      stream: () => stream,
      connectionString: findUrl(),
      application_name: 'scim-bridge',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => own.on('end', () => resolve()));
    own.on('error', () => stream.destroy());
    own.on('notification', ({ payload }) => {
      const topic = TOPICS.find((one) => one === payload);
      if (topic !== undefined) local.ring(topic);
    });
    try {
      await own.connect();
      await own.query(`listen ${CHANNEL}`);
      // What was rung before this is lost.
      local.ringAll();
      await ended;
    } finally {
      stream.destroy();
    }
  }

  async function listenOn(): Promise<void> {
    while (!closing.signal.aborted) {
      // The store reports why it failed.
      await listenOnce().catch(() => undefined);
      await sleep(AGAIN_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  /** Rings that come while one is on its way go together. */
  async function send(): Promise<void> {
    while (waiting.size > 0 && !closing.signal.aborted) {
      const topics = [...waiting];
      waiting.clear();
      const rings = topics.map((topic) => sql`pg_notify(${CHANNEL}, ${topic})`);
      // Lost with the connection: everybody looks by themselves as well.
      await sql`select ${sql.join(rings)}`.execute(aside).catch(() => undefined);
    }
    sending = undefined;
  }

  return {
    ring(topic) {
      waiting.add(topic);
      sending ??= send();
    },
    listen(topic, hear) {
      listening ??= listenOn();
      return local.listen(topic, hear);
    },
    async close() {
      await sending;
      closing.abort();
      // Not by a goodbye: a client that says it while it connects never tells that it has ended, nor does a lost server.
      socket?.destroy();
      await listening;
    },
  };
}
