import { createHash } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { createLoop } from '../domain/loop.ts';
import { toChangedColumns } from '../store/engine/columns.ts';
import { createFact } from '../store/facts.ts';
import { LIVE_MANAGED, lockRow, type RowOf, readRows, updateRow } from '../store/resources/rows.ts';
import type { Db, Store } from '../store/store.ts';
import { groupFields, toRuled } from './fields.ts';
import { followUsers } from './follow.ts';
import { ruleAdmins } from './rule-links.ts';
import type { Rules } from './rules.ts';

/** Rest after a failure of the store, in milliseconds. */
const REST_MS = 1_000;
/** Rest once the rules hold everywhere, in milliseconds. */
const DONE_REST_MS = 60 * 60_000;

/** Hash of the rules that were applied last. */
const APPLIED = createFact<string>('rules');

interface Deps {
  readonly store: Store;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly events: {
    failed(fields: { readonly type: string; readonly id: string; readonly error: unknown }): void;
  };
}

/**
 * Creates the reapplication of changed rules to groups, users and admin lists, page by page; after a crash it begins
 * again. Requests are served meanwhile under the same rules.
 */
export function createReapplication(deps: Deps) {
  const { store, clock, events } = deps;
  const { rules } = deps.rules.book;
  const hash = createHash('sha256').update(JSON.stringify(rules)).digest('hex');
  const over = Promise.withResolvers<void>();
  const onFailure = (error: unknown) => events.failed({ type: 'rules', id: 'reapply', error });
  const loop = createLoop({ clock, onFailure, failedRestMs: REST_MS }, async (signal) => {
    const applied = await APPLIED.find(store.read);
    // A store that never had rules needs nothing while there are none.
    const isToApply = applied === undefined ? rules.length > 0 : applied !== hash;
    if (isToApply) {
      await applyAll(deps, signal);
      await store.write((tx) => APPLIED.save(tx, hash, clock.now()));
    }
    over.resolve();
    return DONE_REST_MS;
  });
  return {
    start: () => loop.start(),
    /** Stops after the page that is being done. */
    async stop() {
      await loop.stop();
      over.resolve();
    },
    /** Resolves once the rules hold everywhere, or it was stopped. */
    done: () => over.promise,
  };
}

async function applyAll({ store, rules, clock }: Deps, signal: AbortSignal): Promise<void> {
  /** Applies them to all rows of a type: so many in one transaction that requests do not notice. */
  async function forAll<Type extends ResourceKey['type']>(
    type: Type,
    limit: number,
    apply: (tx: Db, rows: readonly RowOf<Type>[], now: number) => Promise<boolean>,
  ) {
    for await (const rows of readRows(store.read, type, { limit, where: LIVE_MANAGED })) {
      signal.throwIfAborted();
      if (await store.write((tx) => apply(tx, rows, clock.now()))) store.bell.ring('due');
    }
  }
  await forAll('group', 100, async (tx, rows, now) => {
    let changed = false;
    for (const { id } of rows) {
      const row = await lockRow(tx, { type: 'group', id });
      const next = row && (await toRuled(tx, rules, groupFields, { row, now }));
      if (row && next) await updateRow(tx, row, toChangedColumns(row, next));
      changed ||= next !== undefined;
    }
    return changed;
  });
  await forAll('user', 200, (tx, rows, now) => {
    const ids = rows.map(({ id }) => id);
    return followUsers(tx, rules, ids, now);
  });
  await forAll('group', 20, async (tx, rows, now) => {
    let changed = false;
    for (const { id: groupId } of rows) {
      if (await ruleAdmins(tx, rules, { groupId, users: undefined, now })) changed = true;
    }
    return changed;
  });
}
