import { newId } from '../domain/ids.ts';
import type { Notice } from '../domain/notification.ts';
import { enqueue } from '../notify/enqueue.ts';
import type { NotificationSource } from '../ops/sources.ts';
import { retryNotifications } from '../store/notifications.ts';
import type { WatchedOptions } from './options.ts';

/** Notifications as operators ask for them, in every process; the leader sends. */
export function toNotificationSource({
  store,
  clock,
  settings,
}: WatchedOptions): NotificationSource {
  const { receivers } = settings.notify;

  async function decide<T>(work: Parameters<typeof store.write<T>>[0]): Promise<T> {
    const result = await store.write(work);
    store.bell.ring('decided');
    return result;
  }

  const names = receivers.map(({ name }) => name);

  return {
    receivers: names,
    retry(id) {
      const retrying = { id, receivers: names, now: Math.round(clock.now()) };
      return decide((tx) => retryNotifications(tx, retrying));
    },
    test(name) {
      const asked = receivers.filter((one) => name === undefined || one.name === name);
      // A test goes to whoever it is for, whatever events that receiver is told of.
      const tried = asked.map((one) => ({ ...one, events: ['*'] }));
      return decide((tx) => enqueue(tx, tried, [toTest(clock.now())]));
    },
  };
}

function toTest(at: number): Notice {
  const text = 'This is a test: the bridge reaches this receiver.';
  // A subject of its own: it does not wait behind one that was tried in vain.
  return { type: 'test', subject: `test:${newId()}`, at, text, data: {}, names: {} };
}
