import { createHash } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { assertNever } from '../domain/errors.ts';
import type { Rule } from '../domain/rules.ts';
import { toChangedColumns } from '../store/engine/columns.ts';
import { createFact } from '../store/facts.ts';
import { lockGroup, updateGroup } from '../store/groups/groups.ts';
import { listRows } from '../store/resources/managed.ts';
import type { Db, Store } from '../store/store.ts';
import { followUsers } from './follow.ts';
import { ruleAdmins } from './rule-admins.ts';
import { toRuledGroup } from './rule-group.ts';
import type { Rules } from './rules.ts';

/** Rows updated in one transaction: few enough that requests do not notice. */
const PAGE = { groups: 100, people: 200, admins: 20 } as const;
/** Rest after a failure of the store, in milliseconds. */
const REST_MS = 1_000;

/** Name of the fact with the applied rules and the progress of applying them. */
const FACT = createFact<RulesFact>('rules');

interface RulesFact {
  /** Hash of the rules that are applied now. */
  readonly hash: string;
  readonly step: 'groups' | 'people' | 'admins' | 'done';
  /** Last row that was updated in this step. */
  readonly afterSeq: number;
}

/** Application of changed rules to everything that is stored. */
export interface Reapplication {
  start(): void;
  /** Stops after the page that is being done. */
  stop(): Promise<void>;
  /** Resolves once the rules hold everywhere, or it was stopped. */
  done(): Promise<void>;
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
 * served meanwhile under the same rules. `onChanged` is told when something may be due.
 */
export function createReapplication(deps: Deps, onChanged: () => void): Reapplication {
  const stopping = new AbortController();
  const hash = toHash(deps.rules.book.rules);
  const over = Promise.withResolvers<void>();
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const page = await deps.store.write((tx) => applyPage(tx, deps, hash));
        if (page.changed) onChanged();
        if (page.isLast) return;
      } catch (error) {
        deps.events.failed({ type: 'rules', id: 'reapply', error });
        await deps.clock.sleep(REST_MS, stopping.signal).catch(() => undefined);
      }
    }
  }

  async function begin(): Promise<void> {
    try {
      if (await isToApply(deps, hash)) await run();
    } catch (error) {
      deps.events.failed({ type: 'rules', id: 'reapply', error });
      await run();
    }
  }

  return {
    start() {
      running = begin().finally(over.resolve);
    },
    async stop() {
      stopping.abort();
      await running;
      over.resolve();
    },
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

interface AppliedPage {
  readonly isLast: boolean;
  readonly changed: boolean;
}

async function applyPage(tx: Db, deps: Deps, hash: string): Promise<AppliedPage> {
  const now = deps.clock.now();
  const held = await FACT.lock(tx);
  const fact = held?.hash === hash ? held : ({ hash, step: 'groups', afterSeq: 0 } as const);
  if (fact.step === 'done') return { isLast: true, changed: false };
  const { lastSeq, changed } = await applyStep(tx, deps, fact);
  const next = lastSeq === undefined ? toNextStep(fact) : { ...fact, afterSeq: lastSeq };
  await FACT.save(tx, next, now);
  return { isLast: next.step === 'done', changed };
}

function toNextStep({ hash, step }: RulesFact): RulesFact {
  const next = { groups: 'people', people: 'admins', admins: 'done', done: 'done' } as const;
  return { hash, step: next[step], afterSeq: 0 };
}

interface Step {
  /** Undefined when no row was left. */
  readonly lastSeq: number | undefined;
  readonly changed: boolean;
}

async function applyStep(tx: Db, deps: Deps, { step, afterSeq }: RulesFact): Promise<Step> {
  const now = deps.clock.now();
  const page = { afterSeq, of: 'ruled' } as const;
  switch (step) {
    case 'groups': {
      const groups = await listRows(tx, 'groups', { ...page, limit: PAGE.groups });
      let changed = false;
      for (const { id } of groups) changed = (await applyToGroup(tx, deps, { id, now })) || changed;
      return { lastSeq: groups.at(-1)?.seq, changed };
    }
    case 'people': {
      const users = await listRows(tx, 'users', { ...page, limit: PAGE.people });
      const ids = users.map(({ id }) => id);
      return { lastSeq: users.at(-1)?.seq, changed: await followUsers(tx, deps.rules, ids, now) };
    }
    case 'admins': {
      const groups = await listRows(tx, 'groups', { ...page, limit: PAGE.admins });
      let changed = false;
      for (const { id: groupId } of groups) {
        changed = (await ruleAdmins(tx, deps.rules, { groupId, users: undefined, now })) || changed;
      }
      return { lastSeq: groups.at(-1)?.seq, changed };
    }
    case 'done':
      return { lastSeq: undefined, changed: false };
    default:
      return assertNever(step);
  }
}

async function applyToGroup(
  tx: Db,
  { rules }: Deps,
  { id, now }: { id: Parameters<typeof lockGroup>[1]; now: number },
): Promise<boolean> {
  const row = await lockGroup(tx, id);
  const next = row && (await toRuledGroup(tx, rules, { row, now }));
  if (row === undefined || next === undefined) return false;
  await updateGroup(tx, id, toChangedColumns(row, next));
  return true;
}
