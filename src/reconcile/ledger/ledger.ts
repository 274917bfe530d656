import { BridgeError } from '../../domain/errors.ts';
import { groupId, type ResourceKey, userId } from '../../domain/ids.ts';
import { insertOwnCall, pruneOwnCalls } from '../../store/own-calls.ts';
import type { CallClass } from '../../upstream/call-class.ts';
import type { Sending } from '../../upstream/transport-options.ts';
import type { ReconcileDeps } from '../deps.ts';
import { toOperatorChanges } from './to-operator-changes.ts';
import { toOwnChanges } from './to-own-changes.ts';

/** How often old rows are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** What the bridge itself changes in the service, written down before each call leaves. */
export interface Ledger {
  /** Called for each attempt of a mutating call; the call leaves only once this has resolved. @throws StoreError */
  note(sending: Sending): Promise<void>;
  start(): void;
  stop(): void;
}

/** `retentionMs`: how long a row is kept. */
export function createLedger(
  { store, clock, events }: Pick<ReconcileDeps, 'store' | 'clock' | 'events'>,
  retentionMs: number,
): Ledger {
  let timer: NodeJS.Timeout | undefined;

  async function prune(): Promise<void> {
    const old = { before: clock.now() - retentionMs, limit: PRUNE_MAX };
    try {
      while ((await store.write((tx) => pruneOwnCalls(tx, old))) === PRUNE_MAX);
    } catch (error) {
      // What is old now is so in an hour too.
      events.failed({ type: 'ledger', id: 'prune', error });
    }
  }

  return {
    async note({ operation: { id: operation }, args, key, callClass }) {
      const changes =
        callClass === 'pass' ? toOperatorChanges(args) : toOwnChanges(operation, args);
      const call = { at: clock.now(), operation, key: findKey(callClass, key), changes };
      await store.write((tx) => insertOwnCall(tx, call));
    },
    start() {
      void prune();
      timer = setInterval(() => void prune(), PRUNE_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** The text of `keyText`; a call passed on for an operator has none. @throws BridgeError `bug` for any other without */
function findKey(callClass: CallClass, text: string | undefined): ResourceKey | undefined {
  if (callClass === 'pass') return undefined;
  const [type, id = ''] = text?.split(':') ?? [];
  if (type === 'user') return { type, id: userId(id) };
  if (type === 'group') return { type, id: groupId(id) };
  throw new BridgeError('bug', 'a mutating call names no resource');
}
