import type { OwnChange } from '../../domain/own-call.ts';
import { insertOwnCall } from '../../store/audit/own-calls.ts';
import { findNamed } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallOptions, Sending } from '../../upstream/transport.ts';
import { type CallBook, createCallBook } from '../call-book.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook } from '../mark-to-look.ts';
import { findOwnChanges, toOperatorChanges } from '../to-own-changes.ts';

/** What is needed beside the way to the service. */
type OperatorDeps = Pick<ReconcileDeps, 'store' | 'upstream' | 'clock' | 'events'>;

/**
 * Calls that an operator asks for, in the budget of the bridge. Whom such a call changes is looked at afterwards, so
 * that the next write of a provider meets what the service holds by then. What is wanted stays as it was.
 */
export function createOperatorCalls(
  { store, upstream, clock, events }: OperatorDeps,
  wake: () => void,
): (operation: Operation, args: unknown, options: CallOptions) => Promise<unknown> {
  async function lookAgain(operation: Operation, args: unknown): Promise<void> {
    const changes = operation.method === 'GET' ? undefined : findOwnChanges(operation.id, args);
    if (changes === undefined) return;
    try {
      await store.write((tx) => markNamed(tx, changes, clock.now()));
      wake();
    } catch (error) {
      // The call itself is done, and must not look as if it had failed.
      events.failed({ type: 'operator', id: operation.id, error });
    }
  }

  /** Before it leaves, by what it names: nobody knows what an operation in general changes. */
  async function writeDown(
    book: CallBook,
    { operation: { id, method }, args }: Sending,
  ): Promise<void> {
    if (method === 'GET') return;
    const changes = toOperatorChanges(args);
    const call = { at: clock.now(), operation: id, key: undefined, changes };
    book.sent(await store.write((tx) => insertOwnCall(tx, call)));
  }

  /** The call itself has ended: what the store makes of it changes nothing for who asked. */
  async function saveOutcomes(book: CallBook, id: string): Promise<void> {
    if (book.isEmpty()) return;
    const saving = store.write((tx) => book.save(tx));
    await saving.catch((error: unknown) => events.failed({ type: 'operator', id, error }));
  }

  return async (operation, args, given) => {
    const book = createCallBook();
    const beforeSend = (sending: Sending) => writeDown(book, sending);
    const options: CallOptions = { ...given, class: 'pass', beforeSend, afterSend: book.ended };
    try {
      const result = await upstream.callChecked(operation, args, options);
      await lookAgain(operation, args);
      return result;
    } catch (error) {
      // A refused call may have done a part, and a lost one everything.
      if (error instanceof UpstreamError && error.outcome !== 'not-sent')
        await lookAgain(operation, args);
      throw error;
    } finally {
      await saveOutcomes(book, operation.id);
    }
  };
}

async function markNamed(tx: Db, changes: readonly OwnChange[], now: number): Promise<void> {
  const named = await findNamed(tx, listIds(changes));
  const users = listFound(named.user, changes, 'user').intersection(named.managed);
  const groups = listFound(named.group, changes, 'group').intersection(named.managed);
  await markToLook(tx, { users, groups }, now);
}

function listIds(changes: readonly OwnChange[]): Set<string> {
  return new Set(changes.flatMap(({ upstreamId }) => upstreamId ?? []));
}

/** Those of ours that the changes name; a number may be a person's and a group's. */
function listFound(
  found: ReadonlyMap<string, ReadonlySet<string>>,
  changes: readonly OwnChange[],
  type: 'user' | 'group',
): Set<string> {
  const ofType = changes.filter(({ kind }) => kind.startsWith('user.') === (type === 'user'));
  return new Set([...listIds(ofType)].flatMap((id) => [...(found.get(id) ?? [])]));
}
