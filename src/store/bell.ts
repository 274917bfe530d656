import { EventEmitter } from 'node:events';

/** The news for the processes on one store. */
export const TOPICS = [
  'due', // Something became due for the leader.
  'decided', // An operator decided something, or asked for a sweep.
  'errand', // A process asks the leader for a call, or has its answer.
  'here', // The leader has heard what is due.
  'recorded', // The leader has stored what became of a change.
  'left', // The service holds that a user is out.
  'leader', // Another process leads, or may.
  'former-ids', // Ids of an earlier SCIM server were added.
] as const;

/** One kind of news. */
export type Topic = (typeof TOPICS)[number];

/** Tells all processes on one store of news. A ring may be lost, so each listener looks by itself now and then. */
export interface Bell {
  /** Tells every listener, in this process too. Never fails. */
  ring(topic: Topic): void;
  /** Calls `hear` at each ring, and after a time in which rings may have been lost; until the returned function is called. */
  listen(topic: Topic, hear: () => void): () => void;
}

/** Bell of one process. */
export type LocalBell = ReturnType<typeof createLocalBell>;

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
