import { createHash } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { type GroupId, groupId, userId } from '../domain/ids.ts';
import { createLoop } from '../domain/loop.ts';
import type { Rule } from '../domain/rule-book.ts';
import { toChangedColumns } from '../store/engine/columns.ts';
import { createFact } from '../store/facts.ts';
import { LIVE_MANAGED, listRows, lockRow, updateRow } from '../store/resources/rows.ts';
import type { Db, Store } from '../store/store.ts';
import { groupFields, toRuled } from './fields.ts';
import { followUsers } from './follow.ts';
import { ruleAdmins } from './rule-links.ts';
import type { Rules } from './rules.ts';

/** Rest after a failure of the store, in milliseconds. */
const REST_MS = 1_000;
/** Rest once the rules hold everywhere, in milliseconds. */
const DONE_REST_MS = 60 * 60_000;

const FACT = createFact<RulesFact>('rules');

interface RulesFact {
  /** Hash of the rules that are applied now. */
  readonly hash: string;
  readonly step: StepName | 'done';
  /** Last row that was updated in this step. */
  readonly afterSeq: number;
}

interface Deps {
  readonly store: Store;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly events: {
    failed(fields: { readonly type: string; readonly id: string; readonly error: unknown }): void;
  };
}

/**
 * Creates the reapplication of the rules to groups, users and admin lists, page by page, each with its checkpoint in
 * one transaction: a crash repeats at most one page, and processes that start together share the work. Requests are
 * served meanwhile under the same rules. `onChanged` is called when something may be due.
 */
export function createReapplication(deps: Deps, onChanged: () => void) {
  const { store, clock, events } = deps;
  const hash = toHash(deps.rules.book.rules);
  const over = Promise.withResolvers<void>();
  const onFailure = (error: unknown) => events.failed({ type: 'rules', id: 'reapply', error });
  const loop = createLoop({ clock, onFailure, failedRestMs: REST_MS }, async () => {
    if (!(await isToApply(deps, hash))) {
      over.resolve();
      return DONE_REST_MS;
    }
    if (await store.write((tx) => applyPage(tx, deps, hash))) onChanged();
    return 0;
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

function toHash(rules: readonly Rule[]): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex');
}

/** A store that never had rules needs no step while there are none. */
async function isToApply({ store, rules }: Deps, hash: string): Promise<boolean> {
  const fact = await FACT.find(store.read);
  if (fact === undefined) return rules.book.rules.length > 0;
  return fact.hash !== hash || fact.step !== 'done';
}

type StepName = keyof typeof STEPS;

/** The steps, each to so many rows of a type in one transaction that requests do not notice. */
const STEPS = {
  groups: { type: 'group', limit: 100, next: 'people' },
  people: { type: 'user', limit: 200, next: 'admins' },
  admins: { type: 'group', limit: 20, next: 'done' },
} as const;

/** Applies the rules to one page. True when something changed. */
async function applyPage(tx: Db, { rules, clock }: Deps, hash: string): Promise<boolean> {
  const now = clock.now();
  const held = await FACT.lock(tx);
  const fact: RulesFact = held?.hash === hash ? held : { hash, step: 'groups', afterSeq: 0 };
  const { step, afterSeq } = fact;
  if (step === 'done') return false;
  const { type, limit, next } = STEPS[step];
  const rows = await listRows(
    tx,
    type,
    { ...LIVE_MANAGED, seq: { '>': afterSeq } },
    { order: 'seq', limit },
  );
  const last = rows.at(-1);
  const after = last === undefined ? { step: next, afterSeq: 0 } : { step, afterSeq: last.seq };
  await FACT.save(tx, { hash, ...after }, now);
  if (step === 'people') {
    const ids = rows.map(({ id }) => userId(id));
    return followUsers(tx, rules, ids, now);
  }
  let changed = false;
  for (const { id } of rows) {
    const news = { groupId: groupId(id), users: undefined, now };
    const apply = step === 'groups' ? applyToGroup : ruleAdmins;
    changed = (await apply(tx, rules, news)) || changed;
  }
  return changed;
}

async function applyToGroup(
  tx: Db,
  rules: Rules,
  { groupId: id, now }: { readonly groupId: GroupId; readonly now: number },
): Promise<boolean> {
  const row = await lockRow(tx, { type: 'group', id });
  const next = row && (await toRuled(tx, rules, groupFields, { row, now }));
  if (row === undefined || next === undefined) return false;
  await updateRow(tx, row, toChangedColumns(row, next));
  return true;
}
