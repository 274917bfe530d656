import { EventEmitter } from 'node:events';
import { type Kysely, sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Schema } from './schema.ts';

/** The news for the processes on one store. */
const TOPICS = [
  'due', // Something became due for the leader.
  'decided', // An operator decided something, or asked for a sweep.
  'errand', // A process asks the leader for a call, or has its answer.
  'here', // The leader has heard what is due.
  'settled', // The leader has stored what became of a change.
  'left', // The service holds that a user is out.
  'leader', // Another process leads, or may.
  'former-ids', // Ids of an earlier SCIM server were added.
] as const;

/** One kind of news. */
export type Topic = (typeof TOPICS)[number];

/**
 * Tells all processes on one store that there is news in it. A ring may be lost with a connection, so each listener
 * looks by itself as well, now and then.
 */
export interface Bell {
  /** Tells every listener, in this process too. Never fails. */
  ring(topic: Topic): void;
  /** Calls `hear` at each ring, and after a time in which rings may have been lost; until the returned function is called. */
  listen(topic: Topic, hear: () => void): () => void;
}

type LocalBell = ReturnType<typeof createLocalBell>;

/** Creates a bell that nobody else hears. */
export function createLocalBell() {
  const news = new EventEmitter().setMaxListeners(0);
  return {
    ring: (topic: Topic) => queueMicrotask(() => news.emit(topic)),
    ringAll() {
      for (const topic of TOPICS) news.emit(topic);
    },
    listen(topic: Topic, hear: () => void) {
      news.on(topic, hear);
      return () => void news.off(topic, hear);
    },
  };
}

const CHANNEL = 'scim_bridge';

/** Passes on what is rung on PostgreSQL, as long as the session lasts. What was rung before is lost, so everybody looks. */
export async function passRings(session: ClientBase, local: LocalBell): Promise<void> {
  session.on('notification', ({ payload }) => {
    const topic = TOPICS.find((one) => one === payload);
    if (topic !== undefined) local.ring(topic);
  });
  await session.query(`listen ${CHANNEL}`);
  local.ringAll();
}

/** Creates the bell of all processes on a server. `aside` has one session, which passes on to `local` what others ring. */
export function createSharedBell(local: LocalBell, aside: Kysely<Schema>) {
  const waiting = new Set<Topic>();
  let sending: Promise<void> | undefined;

  /** Rings that come while one is on its way go together. */
  async function send(): Promise<void> {
    while (waiting.size > 0) {
      const rings = [...waiting].map((topic) => sql`pg_notify(${CHANNEL}, ${topic})`);
      waiting.clear();
      // Lost with the connection: everybody looks by themselves as well.
      await sql`select ${sql.join(rings)}`.execute(aside).catch(() => undefined);
    }
    sending = undefined;
  }

  return {
    ring(topic: Topic) {
      waiting.add(topic);
      sending ??= send();
    },
    listen(topic: Topic, hear: () => void) {
      // The first statement opens the session.
      sql`select 1`.execute(aside).catch(() => undefined);
      return local.listen(topic, hear);
    },
    close: async () => sending,
  };
}
